using Geo.Consistency;
using Geo.Directory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Testing;

/// <summary>
/// One incarnation of a silo: the smallest host that keeps to the directory's and the views' terms. Calls acquire the grain, then run
/// on the local instance or are forwarded, to another silo of the cluster or to another cluster.
/// </summary>
internal sealed class SimulatedSilo : ILocalInstances, IAsyncDisposable
{
    private const string CallService = "sim.call";
    private const int MaxPlacements = 5;

    private static readonly TimeSpan ReplaceDelay = TimeSpan.FromMilliseconds(20);
    private static readonly SimulatedReply NotHere = new(ReplyKind.NotHere);
    private static readonly SimulatedReply Unavailable = new(ReplyKind.Unavailable);

    private readonly SimulationWorld _world;
    private readonly SimulatedCluster _cluster;
    private readonly IClusterMessenger _messenger;
    private readonly GlobalDirectory _directory;
    private readonly ViewServices _services;
    private readonly Dictionary<GrainKey, SimulatedGrain> _grains = [];
    private readonly Dictionary<GrainKey, (SimulatedGrain Grain, Task Gone)> _leaving = [];
    private readonly Dictionary<GrainKey, int> _revocations = [];
    private readonly TaskCompletionSource _crashed = new();
    private ReplicaExchange? _exchange;
    private bool _stopping;

    public SimulatedSilo(SimulationWorld world, SimulatedCluster cluster, SimulationLane lane, IClusterMessenger messenger, IConditionalStore rows)
    {
        (_world, _cluster, Lane, _messenger, Node) = (world, cluster, lane, messenger, lane.Name);
        _directory = new GlobalDirectory(
            world.DirectoryOptions, messenger, rows, world.Configuration, this, world.Scheduler.Time,
            world.Seed.Fork($"directory {Node}"), NullLogger<GlobalDirectory>.Instance);
        _services = new ViewServices(
            new SimulatedLogSerializer(), _ => cluster.State, world.Scheduler.Time, world.Seed.Fork($"views {Node}"), NullLoggerFactory.Instance)
        {
            BatchedCas = world.BatchedCasOptions,
        };
    }

    /// <summary>The name of this incarnation, as directory rows hold it.</summary>
    public string Node { get; }

    public ClusterId Cluster => _cluster.Id;

    public SimulationLane Lane { get; }

    /// <summary>Starts serving, as a step of the silo; one silo of a cluster holds the multi-instance grains.</summary>
    public void Start(bool holdsMultiInstanceGrains) => Lane.Post(() =>
    {
        _messenger.Handle(CallService, async (message, _) => (await ServeForwardedAsync(SimulatedCall.Decode(message.Payload.Span), true)).Encode());
        if (holdsMultiInstanceGrains)
        {
            _exchange = new ReplicaExchange(
                _messenger, () => _world.Configuration.Clusters, ActivateAsync, new ReplicaExchangeOptions { RequestTimeout = TimeSpan.FromSeconds(1) });
        }

        _directory.Start();
    });

    /// <summary>Crashes: nothing of it runs again, and the cluster's other silos notice at once.</summary>
    public void Halt()
    {
        Lane.Halt();
        _crashed.TrySetResult();
    }

    public bool IsNodeAlive(string node) => _cluster.Find(node) is not null;

    public async ValueTask DeactivateAsync(GrainKey key, string reason)
    {
        foreach (var silo in _cluster.Silos.Where(silo => !silo.Lane.IsHalted).ToArray())
        {
            await silo.GiveUpAsync(key);
        }
    }

    /// <summary>A client's call, on the silo's lane.</summary>
    public async Task<SimulatedReply> CallAsync(SimulatedCall call)
    {
        for (var attempt = 0; attempt < MaxPlacements && !_stopping; attempt++)
        {
            await WhenLeftAsync(call.Key);
            var reply = SimulatedGrainKind.Of(call.Key).IsSingle ? await PlaceAsync(call) : await _cluster.First.ServeMultiAsync(call);
            if (reply.Kind != ReplyKind.NotHere)
            {
                return reply;
            }

            await Task.Delay(ReplaceDelay, _world.Scheduler.Time);
        }

        _world.Counts.NeverPlaced++;
        return Unavailable;
    }

    /// <summary>Ends an idle instance, as a host does after a while, and gives its row up.</summary>
    public Task LeaveAsync(GrainKey key)
    {
        if (!_leaving.ContainsKey(key) && _grains.Remove(key, out var grain))
        {
            Revoke(key);
            var gone = new TaskCompletionSource();
            _leaving[key] = (grain, gone.Task);
            return EndAndReleaseAsync(grain, gone);
        }

        return WhenLeftAsync(key);
    }

    /// <summary>Stops in order: every instance leaves, then the silo answers no more.</summary>
    public async ValueTask DisposeAsync()
    {
        _stopping = true;
        foreach (var key in _grains.Keys.Concat(_leaving.Keys).ToArray())
        {
            await LeaveAsync(key);
        }

        _exchange?.Dispose();
        await _directory.DisposeAsync();
    }

    private async Task EndAndReleaseAsync(SimulatedGrain grain, TaskCompletionSource gone)
    {
        await grain.EndAsync();
        if (SimulatedGrainKind.Of(grain.Key).IsSingle)
        {
            await _directory.ReleaseAsync(grain.Key, Node);
        }

        _world.Counts.Deactivations++;
        _leaving.Remove(grain.Key);
        gone.SetResult();
    }

    private async Task GiveUpAsync(GrainKey key)
    {
        Revoke(key);
        if (_grains.Remove(key, out var grain))
        {
            _world.Trace.Note($"{Node} gives up {key}");
            _world.Counts.DuplicatesHealed++;
        }
        else if (_leaving.TryGetValue(key, out var leaving))
        {
            grain = leaving.Grain;
        }

        if (grain is not null)
        {
            await Task.WhenAny(grain.EndAsync(), _crashed.Task);
        }
    }

    private async Task<SimulatedReply> PlaceAsync(SimulatedCall call)
    {
        var revocations = Revocations(call.Key);
        Placement placement;
        try
        {
            placement = await _directory.AcquireAsync(
                call.Key, Node, SimulatedGrainKind.Of(call.Key).Declaration.Mode, CancellationToken.None);
        }
        catch (Exception e) when (e is GeoUnavailableException || (_stopping && e is OperationCanceledException or ObjectDisposedException))
        {
            return Unavailable;
        }
        catch (Exception e)
        {
            _world.Fail($"{Node} failed to acquire {call.Key}: {e}");
            throw;
        }

        return placement.Kind == PlacementKind.Here
            ? await ServeHereAsync(call, placement, revocations, mayHop: true)
            : await ForwardAsync(call, placement.Cluster);
    }

    private async Task<SimulatedReply> ForwardAsync(SimulatedCall call, ClusterId to)
    {
        _world.Counts.Forwards++;
        var forwarded = await _messenger.RequestAsync(to, CallService, call.Encode(), new(PartitionKey: call.Key.ToPartitionKey()));
        if (forwarded.Outcome != ReplyOutcome.Replied)
        {
            return forwarded.Outcome == ReplyOutcome.Refused ? Unavailable : new SimulatedReply(ReplyKind.Unknown);
        }

        var reply = SimulatedReply.Decode(forwarded.Payload.Span);
        if (reply.Kind == ReplyKind.NotHere)
        {
            _world.Counts.StaleCached++;
            await _directory.ForgetCachedAsync(call.Key, to);
        }

        return reply;
    }

    /// <summary>Serves a call that another silo sent here because its directory said so.</summary>
    private async Task<SimulatedReply> ServeForwardedAsync(SimulatedCall call, bool mayHop)
    {
        await WhenLeftAsync(call.Key);
        var revocations = Revocations(call.Key);
        try
        {
            var placement = await _directory.LookupAsync(call.Key, CancellationToken.None);
            if (placement is { Kind: PlacementKind.Elsewhere } elsewhere)
            {
                // Somebody's directory says here: the hint of this silo is older than the row that another silo of the cluster has written.
                await _directory.ForgetCachedAsync(call.Key, elsewhere.Cluster);
                placement = await _directory.LookupAsync(call.Key, CancellationToken.None);
            }

            return placement is { Kind: PlacementKind.Here } here ? await ServeHereAsync(call, here, revocations, mayHop) : NotHere;
        }
        catch (GeoUnavailableException)
        {
            return Unavailable;
        }
    }

    private async Task<SimulatedReply> ServeHereAsync(SimulatedCall call, Placement placement, int revocations, bool mayHop)
    {
        if (placement.Node != Node)
        {
            return mayHop && _cluster.Find(placement.Node!) is { } other
                ? await other.HopAsync(() => other.ServeForwardedAsync(call, mayHop: false))
                : NotHere;
        }

        // What the directory said holds only if nothing has ended the grain's instance here since it was asked.
        return revocations == Revocations(call.Key) && !_leaving.ContainsKey(call.Key) && !_stopping
            ? await Instance(call.Key).HandleAsync(call)
            : NotHere;
    }

    private Task<SimulatedReply> ServeMultiAsync(SimulatedCall call) =>
        Lane.IsHalted || _stopping ? Task.FromResult(Unavailable) : HopAsync(async () =>
        {
            await WhenLeftAsync(call.Key);
            return _leaving.ContainsKey(call.Key) || _stopping ? NotHere : await Instance(call.Key).HandleAsync(call);
        });

    /// <summary>Runs a call on this silo for another one of the cluster, whose connection breaks if this one crashes.</summary>
    private async Task<SimulatedReply> HopAsync(Func<Task<SimulatedReply>> serve)
    {
        var served = Lane.RunAsync(serve);
        await Task.WhenAny(served, _crashed.Task);
        return served.IsCompleted ? await served : new SimulatedReply(ReplyKind.Unknown);
    }

    private SimulatedGrain Instance(GrainKey key)
    {
        if (_grains.TryGetValue(key, out var grain))
        {
            return grain;
        }

        grain = _grains[key] = new SimulatedGrain(_world, this, key);
        _world.Trace.Note($"{Node} creates {key}");
        _world.Invariants.InstanceCreated(grain, Cluster);
        grain.Start(SimulatedGrainKind.Of(key), _exchange, Cluster, _services);
        return grain;
    }

    private async ValueTask<bool> ActivateAsync(GrainKey key, CancellationToken cancellationToken)
    {
        await WhenLeftAsync(key);
        if (_stopping || _leaving.ContainsKey(key))
        {
            return false;
        }

        await Instance(key).StartedAsync();
        return true;
    }

    private Task WhenLeftAsync(GrainKey key) => _leaving.TryGetValue(key, out var leaving) ? leaving.Gone : Task.CompletedTask;

    private void Revoke(GrainKey key) => _revocations[key] = Revocations(key) + 1;

    private int Revocations(GrainKey key) => _revocations.GetValueOrDefault(key);
}
