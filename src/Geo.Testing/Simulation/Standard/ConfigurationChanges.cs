using Geo.Directory;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Testing;

/// <summary>
/// An operator who adds clusters, takes them out and gives them up as lost while clients call and faults happen, whatever has become of the
/// change before.
/// </summary>
internal sealed class ConfigurationChanges
{
    /// <summary>Of a write that was begun, whatever becomes of it, nothing is heard later than this.</summary>
    public static readonly TimeSpan LastWrites = TimeSpan.FromSeconds(5);

    private const string Store = "configuration";

    // How long after the last fault all clusters must be members again.
    private static readonly TimeSpan MaxCompletion = TimeSpan.FromSeconds(60);

    private readonly SimulationWorld _world;
    private readonly bool _mayEndLiving;
    private readonly ChoiceTape _choices;
    private readonly IReadOnlyList<SimulatedCluster> _first;

    /// <summary>Decides which clusters there are at first: the last two, or all.</summary>
    /// <param name="world">The world, with its clusters and before its silos start.</param>
    /// <param name="mayEndLiving">
    /// True where a cluster may be given up that lives, because a majority says who owns all grains; otherwise it dies first.
    /// </param>
    public ConfigurationChanges(SimulationWorld world, bool mayEndLiving)
    {
        (_world, _mayEndLiving, _choices) = (world, mayEndLiving, world.Choices.Tape("changes"));
        _first = [.. world.Clusters.Skip(_choices.Next(3) == 2 ? 0 : 1)];
        foreach (var silo in world.Clusters.SelectMany(c => c.Silos))
        {
            silo.Configuration = [.. _first.Select(c => c.Id)];
        }
    }

    /// <summary>Adds the store of the configuration to a silo.</summary>
    public static void Configure(GeoEmbeddedBuilder geo) => geo
        .AddStore(Store, _ => throw new InvalidOperationException("A simulated world gives its own."))
        .Configure(options => options.ConfigurationStore = Store);

    /// <summary>Starts all silos, one of the first clusters before the others.</summary>
    public async Task StartAsync()
    {
        await _first[^1][0].StartAsync();
        await _world.StartAsync();
    }

    /// <summary>Changes something every now and then.</summary>
    public async Task RunAsync(TimeSpan until)
    {
        while (_world.Time.Elapsed < until && _choices.HasMore)
        {
            using (_choices.Span("change"))
            {
                await _world.PassAsync(_choices.Between(TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(2500)));
                if (_world.Time.Elapsed >= until)
                {
                    return;
                }

                var (asked, cluster) = (Any(), Any());
                switch (_choices.Next(5))
                {
                    case < 2:
                        await AskAsync("clusters added", asked, c => c.AddAsync(cluster.Id, []));
                        break;
                    case < 4:
                        await AskAsync("clusters taken out", asked, c => c.RemoveAsync(cluster.Id));
                        break;
                    case 4 when asked != cluster:
                        await GiveUpAsync(asked, cluster);
                        break;
                }
            }
        }
    }

    /// <summary>All clusters become members, the operator asking until they are: no fault is left that could keep one from it.</summary>
    public async Task CompleteAsync()
    {
        if (_world.Clusters.Any(c => c.IsGivenUp))
        {
            // What was not heard may still be done.
            await _world.PassAsync(LastWrites);
            foreach (var cluster in _world.Clusters)
            {
                cluster.IsGivenUp = false;
            }
        }

        await _world.RestartAsync();
        var since = _world.Time.Elapsed;
        foreach (var cluster in _world.Clusters)
        {
            while (await DescribeAsync(cluster) is var view && !(StageOf(view, cluster) == "member" && view?.Waiting is null))
            {
                if (_world.Time.Elapsed - since > MaxCompletion)
                {
                    _world.Fail($"{cluster} is no member although everything has healed: {view}");
                    return;
                }

                if (StageOf(view, cluster) == "outside")
                {
                    await AskAsync("clusters added", cluster, c => c.AddAsync(cluster.Id, []));
                }

                await _world.PassAsync(TimeSpan.FromMilliseconds(100));
            }
        }
    }

    /// <summary>What a silo of a cluster knows of the configuration; null where none says.</summary>
    public static async Task<ConfigurationView?> DescribeAsync(SimulatedCluster asked)
    {
        ConfigurationView? view = null;
        await TryAsync(asked, async configuration => view = await configuration.DescribeAsync());
        return view;
    }

    /// <summary>Asks a silo of a cluster, if one runs, as an operator does.</summary>
    public static async Task TryAsync(SimulatedCluster asked, Func<IGeoConfiguration, Task> ask)
    {
        if (asked.Silos.FirstOrDefault(s => s.IsUp && !s.IsFrozen) is { } silo)
        {
            await silo.RunAsync(async () =>
            {
                try
                {
                    await ask(silo.Services.GetRequiredService<IGeoSilo>().Configuration!);
                }
                catch (GeoUnavailableException)
                {
                    // As an operator is told, who asks again.
                }
            });
        }
    }

    private static string StageOf(ConfigurationView? view, SimulatedCluster cluster) =>
        view is null ? "unknown" : view.Clusters.FirstOrDefault(c => c.Cluster == cluster.Id)?.Stage ?? "outside";

    private SimulatedCluster Any() => _world.Clusters[_choices.Next(_world.Clusters.Count)];

    /// <summary>
    /// A cluster is given up. Where it might own grains by its rows alone it is dead, and nobody starts it before it is known what became
    /// of the change.
    /// </summary>
    private async Task GiveUpAsync(SimulatedCluster asked, SimulatedCluster lost)
    {
        if (!_mayEndLiving)
        {
            if (_world.Clusters.Any(c => c.IsGivenUp))
            {
                return;
            }

            lost.IsGivenUp = true;
            lost.Crash();
            _world.Watch.GivenUp(lost);
        }

        var isKnown = await AskAsync("clusters given up", asked, c => c.ForceRemoveAsync([lost.Id]));
        if (isKnown && lost.IsGivenUp)
        {
            await _world.PassAsync(_choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(2)));
            lost.IsGivenUp = false;
        }
    }

    /// <returns>True where it is known what became of it.</returns>
    private async Task<bool> AskAsync(
        string what, SimulatedCluster asked, Func<IGeoConfiguration, ValueTask<ConfigurationChange>> change)
    {
        ConfigurationChange? made = null;
        await TryAsync(asked, async configuration => made = await change(configuration));
        _world.Trace.Note($"{what}: {asked} says {made?.Message ?? "nothing"}");
        _world.Counts.Count(what, made is { IsMade: true } ? 1 : 0);
        return made is not null;
    }
}
