using Geo.Consistency;
using Geo.Directory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Testing;

/// <summary>
/// One incarnation of a cluster's only silo: the smallest host that keeps to the directory's and the views' terms. Calls acquire the
/// grain, then run on the local instance or are forwarded.
/// </summary>
internal sealed class SimulatedSilo : ILocalInstances, IAsyncDisposable
{
    private const string CallService = "sim.call";
    private const int MaxPlacements = 5;

    private readonly SimulationWorld _world;
    private readonly IClusterMessenger _messenger;
    private readonly GlobalDirectory _directory;
    private readonly ReplicaExchange _exchange;
    private readonly ViewServices _services;
    private readonly Dictionary<GrainKey, SimulatedGrain> _grains = [];
    private readonly Dictionary<GrainKey, Task> _leaving = [];
    private readonly Dictionary<GrainKey, int> _revocations = [];

    public SimulatedSilo(SimulationWorld world, SimulatedCluster cluster, SimulationLane lane, IClusterMessenger messenger, IConditionalStore rows)
    {
        (_world, Lane, _messenger, Node) = (world, lane, messenger, lane.Name);
        _directory = new GlobalDirectory(
            world.DirectoryOptions, messenger, rows, world.Configuration, this, world.Scheduler.Time,
            world.Seed.Fork($"directory {Node}"), NullLogger<GlobalDirectory>.Instance);
        _exchange = new ReplicaExchange(
            messenger, () => world.Configuration.Clusters, ActivateAsync, new ReplicaExchangeOptions { RequestTimeout = TimeSpan.FromSeconds(1) });
        _services = new ViewServices(
            new SimulatedLogSerializer(), _ => cluster.State, world.Scheduler.Time, world.Seed.Fork($"views {Node}"), NullLoggerFactory.Instance)
        {
            BatchedCas = world.BatchedCasOptions,
        };
    }

    /// <summary>The name of this incarnation, as directory rows hold it.</summary>
    public string Node { get; }

    public SimulationLane Lane { get; }

    /// <summary>Starts serving, as a step of the silo.</summary>
    public void Start() => Lane.Post(() =>
    {
        _messenger.Handle(CallService, async (message, _) => (await ServeForwardedAsync(SimulatedCall.Decode(message.Payload.Span))).Encode());
        _directory.Start();
    });

    public bool IsNodeAlive(string node) => node == Node;

    public async ValueTask DeactivateAsync(GrainKey key, string reason)
    {
        Revoke(key);
        if (_grains.Remove(key, out var grain))
        {
            _world.Trace.Note($"{Node} gives up {key}");
            await grain.EndAsync();
            _world.Counts.DuplicatesHealed++;
        }
    }

    /// <summary>A client's call, on the silo's lane.</summary>
    public async Task<SimulatedReply> CallAsync(SimulatedCall call)
    {
        var kind = SimulatedGrainKind.Of(call.Key);
        for (var attempt = 0; attempt < MaxPlacements; attempt++)
        {
            await WhenLeftAsync(call.Key);
            var reply = kind.IsSingle ? await PlaceAsync(call, kind) : await Instance(call.Key).HandleAsync(call);
            if (reply.Kind != ReplyKind.NotHere)
            {
                return reply;
            }
        }

        _world.Counts.NeverPlaced++;
        return new SimulatedReply(ReplyKind.Unavailable);
    }

    /// <summary>Ends an idle instance, as a host does after a while, and gives its row up.</summary>
    public Task LeaveAsync(GrainKey key)
    {
        if (_leaving.ContainsKey(key) || !_grains.Remove(key, out var grain))
        {
            return Task.CompletedTask;
        }

        Revoke(key);
        return _leaving[key] = EndAndReleaseAsync();

        async Task EndAndReleaseAsync()
        {
            await grain.EndAsync();
            if (SimulatedGrainKind.Of(key).IsSingle)
            {
                await _directory.ReleaseAsync(key, Node);
            }

            _world.Counts.Deactivations++;
            _leaving.Remove(key);
        }
    }

    public Task ResolveAsync() => Lane.RunAsync(async () => { await _directory.ResolveDoubtfulAsync(CancellationToken.None); });

    /// <summary>Stops in order: every instance leaves, then the silo answers no more.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var key in _grains.Keys.ToArray())
        {
            await LeaveAsync(key);
        }

        _exchange.Dispose();
        await _directory.DisposeAsync();
    }

    private async Task<SimulatedReply> PlaceAsync(SimulatedCall call, SimulatedGrainKind kind)
    {
        var revocations = Revocations(call.Key);
        Placement placement;
        try
        {
            placement = await _directory.AcquireAsync(call.Key, Node, kind.Declaration.Mode, CancellationToken.None);
        }
        catch (GeoUnavailableException)
        {
            return new SimulatedReply(ReplyKind.Unavailable);
        }
        catch (Exception e)
        {
            _world.Fail($"{Node} failed to acquire {call.Key}: {e}");
            throw;
        }

        if (placement.Kind == PlacementKind.Here)
        {
            return await ServeHereAsync(call, placement, revocations);
        }

        _world.Counts.Forwards++;
        var forwarded = await _messenger.RequestAsync(placement.Cluster, CallService, call.Encode(), new(PartitionKey: call.Key.ToPartitionKey()));
        if (forwarded.Outcome != ReplyOutcome.Replied)
        {
            return new SimulatedReply(forwarded.Outcome == ReplyOutcome.Refused ? ReplyKind.Unavailable : ReplyKind.Unknown);
        }

        var reply = SimulatedReply.Decode(forwarded.Payload.Span);
        if (reply.Kind == ReplyKind.NotHere)
        {
            _world.Counts.StaleCached++;
            await _directory.ForgetCachedAsync(call.Key, placement.Cluster);
        }

        return reply;
    }

    private async Task<SimulatedReply> ServeForwardedAsync(SimulatedCall call)
    {
        await WhenLeftAsync(call.Key);
        var revocations = Revocations(call.Key);
        return await _directory.LookupAsync(call.Key, CancellationToken.None) is { Kind: PlacementKind.Here } placement
            ? await ServeHereAsync(call, placement, revocations)
            : new SimulatedReply(ReplyKind.NotHere);
    }

    /// <summary>What the directory said holds only if nothing has ended the grain's instance here since it was asked.</summary>
    private async Task<SimulatedReply> ServeHereAsync(SimulatedCall call, Placement placement, int revocations) =>
        placement.Node == Node && revocations == Revocations(call.Key) && !_leaving.ContainsKey(call.Key)
            ? await Instance(call.Key).HandleAsync(call)
            : new SimulatedReply(ReplyKind.NotHere);

    private SimulatedGrain Instance(GrainKey key)
    {
        if (_grains.TryGetValue(key, out var grain))
        {
            return grain;
        }

        grain = _grains[key] = new SimulatedGrain(_world, this, key);
        _world.Trace.Note($"{Node} creates {key}");
        _world.Invariants.InstanceCreated(grain);
        grain.Start(SimulatedGrainKind.Of(key), _exchange, _services);
        return grain;
    }

    private async ValueTask<bool> ActivateAsync(GrainKey key, CancellationToken cancellationToken)
    {
        await WhenLeftAsync(key);
        await Instance(key).StartedAsync();
        return true;
    }

    private Task WhenLeftAsync(GrainKey key) => _leaving.TryGetValue(key, out var leaving) ? leaving : Task.CompletedTask;

    private void Revoke(GrainKey key) => _revocations[key] = Revocations(key) + 1;

    private int Revocations(GrainKey key) => _revocations.GetValueOrDefault(key);
}
