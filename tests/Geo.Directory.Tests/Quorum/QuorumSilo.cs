using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Quorum;

/// <summary>
/// One start of a silo, with what a host does: it has an instance of a grain while the directory lets it, asks before and after each call
/// whether it may serve, and hands calls on to where the grain is.
/// </summary>
internal sealed class QuorumSilo : IInstanceTable
{
    private const string Service = "call";

    /// <summary>Longer than a lease lasts, so that an instance is there when its silo has the next one.</summary>
    public static readonly TimeSpan LongTurn = TimeSpan.FromSeconds(6);

    private static readonly MultiClusterConfiguration All =
        new(1, [QuorumDirectoryWorld.Us, QuorumDirectoryWorld.Eu, QuorumDirectoryWorld.Asia]);

    private static readonly TimeSpan Turn = TimeSpan.FromMilliseconds(20);

    private readonly QuorumDirectoryWorld _world;
    private readonly Dictionary<GrainKey, Instance> _instances = [];

    public QuorumSilo(QuorumDirectoryWorld world, ClusterId cluster, string node, TimeProvider clock, SimulatedStore way)
    {
        (_world, Cluster, Node, Way) = (world, cluster, node, way);
        Lane = world.Scheduler.CreateLane(node);
        Messenger = world.Network.Join(cluster, Lane);
        (Metrics, Moves) = (new(cluster, () => default), new(cluster, 100, clock));
        Directory = new QuorumDirectory(
            world.Options, world.Limits, Messenger, new ReadiedRows(way, Readied),
            new(node, world.MayBeCalled) { Clusters = () => world.Clusters ?? All, Serves = _ => world.Idle != cluster }, this,
            Metrics, Moves, clock, new Random(world.Choices.Next(int.MaxValue, "random")), NullLogger.Instance);
        Lane.Post(() =>
        {
            Messenger.Handle(Service, AnswerAsync);
            Directory.Start();
        });
    }

    public ClusterId Cluster { get; }

    public string Node { get; }

    public SimulationLane Lane { get; }

    public SimulatedMessenger Messenger { get; }

    public SimulatedStore Way { get; }

    /// <summary>The rows that it has read to write them.</summary>
    public List<string> Readied { get; } = [];

    public QuorumDirectory Directory { get; }

    public DirectoryMetrics Metrics { get; }

    public MoveJournal Moves { get; }

    /// <summary>What a call waits for that begins now.</summary>
    public Task Held { get; set; } = Task.CompletedTask;

    /// <summary>True where an instance may begin a call now, or end one.</summary>
    public bool Serves(GrainKey key) => !Lane.IsHalted && _instances.TryGetValue(key, out var instance) && instance.Guard.MayServe;

    public bool Has(GrainKey key)
    {
        var has = _instances.ContainsKey(key);
        Looked(key);
        return has;
    }

    /// <summary>Happens when it has been looked for an instance, and before what was seen is told.</summary>
    public Action<GrainKey> Looked { get; set; } = _ => { };

    public long? EpochOf(GrainKey key) => _instances.GetValueOrDefault(key)?.Epoch;

    /// <summary>Calls a grain, wherever it is; false when the call was refused, or its outcome is not known.</summary>
    public async Task<bool> CallAsync(GrainKey key)
    {
        for (var attempt = 0; attempt < 5; attempt++)
        {
            try
            {
                var placement = await Directory.AcquireAsync(key, Node, SingleInstanceMode.Quorum);
                if (placement.Kind == PlacementKind.Here)
                {
                    return placement.Node == Node ? await RunAsync(key) : await _world.PassAsync(placement.Node!, key);
                }

                var reply = await Messenger.RequestAsync(
                    placement.Cluster, Service, Write(key), new MessageOptions(Timeout: TimeSpan.FromSeconds(1)));
                if (reply.Outcome == ReplyOutcome.Unknown)
                {
                    return false;
                }

                if (reply.Outcome == ReplyOutcome.Replied && reply.Payload.Span[0] == 1)
                {
                    return true;
                }

                Directory.ForgetCached(key, placement.Cluster);
            }
            catch (GeoUnavailableException)
            {
                return false;
            }
        }

        return false;
    }

    /// <summary>Runs a call on the instance here, which begins where there is none.</summary>
    public async Task<bool> RunAsync(GrainKey key)
    {
        if (!_instances.TryGetValue(key, out var instance))
        {
            var placement = await Directory.AcquireAsync(key, Node, SingleInstanceMode.Quorum);
            if (placement.Kind != PlacementKind.Here || placement.Node != Node
                || Directory.HeldOf(key) is not { } held)
            {
                return false;
            }

            if (!_instances.TryGetValue(key, out instance))
            {
                _instances[key] = instance = new(held.Epoch, held.Guard);
                _world.Begins(this, key, held.Epoch);
            }
        }

        if (instance.IsEnding || !instance.Guard.MayServe)
        {
            return false;
        }

        instance.Running++;
        await Held;
        await Task.Delay(_world.HasLongTurns && _world.Choices.Next(40, "turns") == 39 ? LongTurn : Turn, _world.Scheduler.Time);
        instance.Running--;
        return instance.Guard.MayServe;
    }

    public async Task DeactivateAsync(GrainKey key, string reason)
    {
        if (_instances.TryGetValue(key, out var instance))
        {
            await EndAsync(key, instance);
        }
    }

    /// <summary>The instance ends, and gives the grain up.</summary>
    public async Task ReleaseAsync(GrainKey key)
    {
        if (_instances.TryGetValue(key, out var instance) && !instance.IsEnding)
        {
            await EndAsync(key, instance);
            await Directory.ReleaseAsync(key, Node, instance.Epoch);
        }
    }

    /// <summary>The instance moves to another silo of the cluster.</summary>
    public async Task MoveAsync(GrainKey key, QuorumSilo to)
    {
        if (_instances.TryGetValue(key, out var instance) && !instance.IsEnding)
        {
            await EndAsync(key, instance);
            _ = to.Lane.RunAsync(() => to.MoveHereAsync(key, Node, instance.Epoch));
            Directory.Leave(key, instance.Epoch);
        }
    }

    private async Task MoveHereAsync(GrainKey key, string from, long tenancy)
    {
        try
        {
            await Directory.MoveAsync(key, from, Node, tenancy);
        }
        catch (GeoUnavailableException)
        {
            // Whoever calls it next finds out.
        }
    }

    private async Task EndAsync(GrainKey key, Instance instance)
    {
        instance.IsEnding = true;
        while (instance.Running > 0)
        {
            await Task.Delay(Turn, _world.Scheduler.Time);
        }

        if (_instances.GetValueOrDefault(key) == instance)
        {
            _instances.Remove(key);
        }
    }

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        var key = GrainKey.Parse(new PayloadReader(message.Payload.Span).ReadRequiredText());
        var served = await Directory.FindHereAsync(key, cancellationToken) is { Node: { } node }
            && (node == Node ? await RunAsync(key) : await _world.PassAsync(node, key));
        return new byte[] { served ? (byte)1 : (byte)0 };
    }

    private static ReadOnlyMemory<byte> Write(GrainKey key)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        return writer.ToArray();
    }

    private sealed class Instance(long epoch, ILeaseGuard guard)
    {
        public long Epoch => epoch;

        public ILeaseGuard Guard => guard;

        public int Running { get; set; }

        public bool IsEnding { get; set; }
    }
}
