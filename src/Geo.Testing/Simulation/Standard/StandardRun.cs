using System.Globalization;
using Geo.Consistency;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing;

/// <summary>Everything that the parts of one standard simulation share: the world, and what its clients and grains have seen.</summary>
internal sealed class StandardRun
{
    private static readonly string[] Names = ["asia", "eu", "us"];

    // Of clusters that come and go: one that is no member waits as long for a member that takes a grain and whose word is lost.
    private static readonly TimeSpan TakeoverTimeout = TimeSpan.FromSeconds(6);

    private readonly List<(string Grain, string Observer, LogPrefix Seen)> _observations = [];
    private readonly TimeSpan _idleDeactivation;
    private readonly SimulatedRegisters? _registers;
    private int _lastUpdate;

    public StandardRun(Choices choices, MultiClusterSimulationOptions options)
    {
        Options = options;
        var plan = choices.Tape("plan");
        var clusters = options.Clusters ?? (options.ChangesConfiguration || options.OwnsByQuorum ? 3 : plan.Next(2, 4));
        var keepsRows = plan.Next(2) == 1;
        var silos = options.Silos ?? (plan.Next(3) == 2 ? 2 : 1);
        var (faults, isReliable, lone) = plan.Next(12) switch
        {
            0 => (SimulatedFaults.None, true, default),
            1 when clusters > 2 => (SimulatedFaults.Cuts | SimulatedFaults.Crashes, true, Names[plan.Next(clusters)]),
            2 when silos > 1 => (SimulatedFaults.SiloLinks, true, default),
            _ => ((SimulatedFaults)plan.Next((int)SimulatedFaults.All + 1), false, default(string)),
        };
        Faults = faults & options.Faults;
        if (options.ChangesConfiguration)
        {
            // Lists of clusters in settings count for nothing; clusters that come and go hear from each other when they do.
            (Faults, isReliable, lone, keepsRows) = (Faults & ~SimulatedFaults.Settings, false, null, true);
        }

        Story = options.Story ?? Draw(choices, options);
        if (Story is { } story)
        {
            // The situation needs clusters that have it, and no other trouble.
            var tape = choices.Tape("story");
            (clusters, silos, keepsRows) = (story == StandardStory.LostPlace ? 3 : 2, SilosOf(story, tape), true);
            (Faults, isReliable, lone) = (SimulatedFaults.None, false, null);
        }

        _idleDeactivation = plan.Next(2) == 1 ? TimeSpan.FromSeconds(2) : TimeSpan.FromMinutes(15);
        var first = plan.Next(StandardGrain.All.Count);
        var second = (first + 1 + plan.Next(StandardGrain.All.Count - 1)) % StandardGrain.All.Count;
        Classes = options switch
        {
            { HasHomes: true, OwnsByQuorum: true } => StandardGrain.OfQuorumHomes,
            { HasHomes: true } => StandardGrain.OfHomes,
            { ChangesConfiguration: true } => StandardGrain.Draw(choices.Tape("classes"), options.OwnsByQuorum),
            { OwnsByQuorum: true } => StandardGrain.OfQuorum,
            _ => [StandardGrain.All[first], StandardGrain.All[second]],
        };
        World = new SimulationWorld(choices, options.KeepTrace)
        {
            IsReliable = isReliable,
            Lone = lone is null ? default : new ClusterId(lone),
            BreakMessenger = options.BreakMessenger,
            BreakRows = options.BreakRows,
            BreakState = options.BreakState,
            OwnsByQuorum = options.OwnsByQuorum,
        };
        World.Network.OnSent = service => World.Counts.Forwards += service == CallRouter.Service ? 1 : 0;
        World.Network.OnReply = (service, reply) =>
        {
            World.Counts.StaleCached += service == CallRouter.Service && CallReply.IsNotHere(reply.Span) ? 1 : 0;
            World.Counts.HandIns += service == ReplicaExchange.Service && HandInCodec.SaysWritten(reply.Span) ? 1 : 0;
        };
        foreach (var name in Names[..clusters])
        {
            World.AddCluster(name, Configure, silos, keepsRows).SiloOptions = Impatience.Silos;
        }

        if (options.OwnsByQuorum)
        {
            _registers = new SimulatedRegisters(World);
        }

        if (options.ChangesConfiguration)
        {
            Changes = new ConfigurationChanges(
                World, mayEndLiving: Classes.All(StandardGrain.OfQuorum.Concat(StandardGrain.OfQuorumHomes).Contains));
        }

        SettleTime = Impatience.Directory.RoundLifetime + Impatience.Directory.ScanInterval + Impatience.Directory.ScanTurn
            + (3 * Impatience.Directory.ResolveInterval)
            + (silos > 1 ? SimulatedCluster.MaxNoticed + (3 * Impatience.Silos.LeaseDuration) : TimeSpan.Zero);
    }

    public MultiClusterSimulationOptions Options { get; }

    public SimulatedFaults Faults { get; }

    /// <summary>The situation into which the run is led; null where faults come at random.</summary>
    public StandardStory? Story { get; }

    public SimulationWorld World { get; }

    /// <summary>Who changes which clusters there are; null where they stay.</summary>
    public ConfigurationChanges? Changes { get; }

    /// <summary>Two classes, so that calls meet each other often; over the seeds each meets each.</summary>
    public IReadOnlyList<Type> Classes { get; }

    /// <summary>The class whose grains the others' timers call.</summary>
    public Type Ticked => field ??= Classes.FirstOrDefault(c => c.IsSubclassOf(typeof(LogGrain))) ?? typeof(MultiLog);

    /// <summary>How long a client's call may take.</summary>
    public TimeSpan Patience { get; } = TimeSpan.FromSeconds(4);

    /// <summary>
    /// How long after the last fault everything must be in order: a round given up, found by the next scan, before which a silo that scans
    /// may have died, and tried again; where a cluster has several silos, a dead one noticed and fenced off besides.
    /// </summary>
    public TimeSpan SettleTime { get; }

    /// <summary>
    /// How long after the last fault every grain must have answered in every cluster, where owners are kept by majority or clusters
    /// come and go.
    /// </summary>
    public TimeSpan AnswerTime => SettleTime + Patience
        + (Changes is null ? TimeSpan.Zero : ConfigurationChanges.LastWrites + Impatience.Directory.AcquireTimeout + TakeoverTimeout);

    public History<StandardCall, LogPrefix> History { get; } = new();

    /// <summary>What some grain showed as a version: each must be a prefix of the final log.</summary>
    public IReadOnlyList<(string Grain, string Observer, LogPrefix Seen)> Observations => _observations;

    /// <summary>The grains that clients call.</summary>
    public IReadOnlyList<StandardGrain> Grains => field ??=
    [
        .. from type in Classes
           from number in Enumerable.Range(1, Options.GrainsPerKind)
           select new StandardGrain(type, number.ToString(CultureInfo.InvariantCulture)),
    ];

    public int NextUpdate() => ++_lastUpdate;

    public void Observe(string grain, string observer, LogPrefix seen) => _observations.Add((grain, observer, seen));

    /// <summary>A call of a grain, as the grain runs it: takes some time, and looks whether it runs on the grain's instance then.</summary>
    public async Task<bool> LingerAsync(string grain, int milliseconds, IServiceProvider services)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(milliseconds), services.GetRequiredService<TimeProvider>());
        return World.Watch.IsReplaced(SimulationLane.Running!.Process.Name, GrainKey.Parse(grain));
    }

    /// <summary>
    /// One of ten seeds of worlds that are all as the seed says has a story, by a tape of its own: worlds of stated sizes or kinds
    /// have none.
    /// </summary>
    private static StandardStory? Draw(Choices choices, MultiClusterSimulationOptions options)
    {
        if (options is not
            {
                Clusters: null, Silos: null, Faults: SimulatedFaults.All, OwnsByQuorum: false, ChangesConfiguration: false, HasHomes: false
            })
        {
            return null;
        }

        var stories = Enum.GetValues<StandardStory>();
        var drawn = choices.Tape("stories").Next(10 * stories.Length) - (9 * stories.Length);
        return drawn >= 0 ? stories[drawn] : null;
    }

    /// <summary>
    /// A cluster of one silo has no lease to lose while its store is late, and nobody who would take its grains over. Three clusters
    /// of several silos take long.
    /// </summary>
    private static int SilosOf(StandardStory story, ChoiceTape choices) => story switch
    {
        StandardStory.LateStore or StandardStory.EndlessCall or StandardStory.OccupiedDuplicate or StandardStory.LostPlace =>
            choices.Next(1, 3),
        _ => choices.Next(2, 4),
    };

    private void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddSingleton(this);
        host.UseGeoEmbedded(geo => WithClasses(geo)
            .Configure(options =>
            {
                options.RequestTimeout = Patience;
                Impatience.Set(options);
                options.MaxRoutingAttempts = 4;
                options.IdleDeactivation = _idleDeactivation;
                if (Changes is not null)
                {
                    options.Directory = options.Directory with { TakeoverTimeout = TakeoverTimeout };
                }

                if (Story == StandardStory.HiddenDoubt)
                {
                    options.Directory = options.Directory with { ScanRowsPerSecond = HiddenDoubt.ScanRowsPerSecond };
                }
                else if (Story is StandardStory.EndlessCall or StandardStory.OccupiedDuplicate)
                {
                    options.DeactivationTimeout = EndlessCall.DeactivationTimeout;
                    options.Directory = options.Directory with { DeactivationTimeout = EndlessCall.EndTimeout };
                }
            }));
    }

    private GeoEmbeddedBuilder WithClasses(GeoEmbeddedBuilder geo)
    {
        geo.AddGrain<OptimisticLog>().AddGrain<PessimisticLog>().AddGrain<MultiLog>();
        if (Changes is not null)
        {
            ConfigurationChanges.Configure(geo);
        }
        else
        {
            geo.AddGrain<VolatileLog>();
        }

        geo.AddGrain<PessimisticLedger>().AddGrain<OptimisticLedger>();
        if (_registers is { } registers)
        {
            geo.AddGrain<QuorumLog>().AddGrain<QuorumLedger>();
            registers.Configure(geo);
        }

        if (Options is { HasHomes: true, OwnsByQuorum: true })
        {
            geo.AddGrain<HomedQuorumLog>().AddGrain<FollowingLedger>();
        }
        else if (Options.HasHomes)
        {
            geo.AddGrain<HomedLedger>().AddGrain<HomedLog>();
        }

        return geo;
    }
}
