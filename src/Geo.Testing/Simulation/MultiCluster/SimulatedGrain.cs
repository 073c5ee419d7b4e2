using Geo.Consistency;

namespace Geo.Testing;

/// <summary>One instance of a grain in one silo: a versioned view, and what its guarantees promise of it at every moment.</summary>
internal sealed class SimulatedGrain : IViewObserver
{
    private readonly SimulationWorld _world;
    private readonly List<int> _own = [];
    private readonly TaskCompletionSource _idle = new();
    private readonly string _name;
    private IDisposable? _registration;
    private IVersionedView<SimulatedLog, int> _view = null!;
    private long _version;
    private int _running;
    private bool _ended;

    public SimulatedGrain(SimulationWorld world, SimulatedSilo silo, GrainKey key)
    {
        (_world, Key, Silo) = (world, key, silo);
        _name = $"{silo.Node} {key}";
        Lane = silo.Lane.CreatePart(_name);
    }

    public GrainKey Key { get; }

    public SimulatedSilo Silo { get; }

    /// <summary>The instance's turns.</summary>
    public SimulationLane Lane { get; }

    /// <summary>True while it exists: its silo has not crashed and it has not ended.</summary>
    public bool IsLive => !_ended && !Lane.IsHalted;

    /// <summary>Creates the view as the instance's first turn.</summary>
    public void Start(SimulatedGrainKind kind, ReplicaExchange? exchange, ClusterId local, ViewServices services) => Lane.Post(() =>
    {
        var link = exchange?.LinkFor(Key, kind.Declaration.Instancing == Instancing.OnePerCluster) ?? new AloneLink(local);
        _view = VersionedViews.Create(kind.Declaration, Key, SimulatedLogModel.Instance, link, services, this);
        if (exchange is not null && _view is IReplica replica)
        {
            _registration = exchange.Register(Key, replica, Lane);
        }

        _view.Start();
    });

    /// <summary>Ends when the view is there and registered.</summary>
    public Task StartedAsync() => Lane.RunAsync(() => Task.CompletedTask);

    /// <summary>Handles a call in turns that interleave with others; the reply of an instance that has ended is "not here".</summary>
    public Task<SimulatedReply> HandleAsync(SimulatedCall call) => Lane.RunAsync(async () =>
    {
        if (_ended)
        {
            return new SimulatedReply(ReplyKind.NotHere);
        }

        _running++;
        try
        {
            return await ServeAsync(call);
        }
        catch (Exception e) when (e is ObjectDisposedException or GeoOutcomeUnknownException)
        {
            _world.Trace.Note($"{_name} {call.Kind} ends unknown");
            return new SimulatedReply(ReplyKind.Unknown);
        }
        catch (GeoUnavailableException)
        {
            return new SimulatedReply(ReplyKind.Unavailable);
        }
        catch (Exception e)
        {
            _world.Fail($"{_name} failed {call}: {e}");
            throw;
        }
        finally
        {
            _running--;
            EndWhenIdle();
        }
    });

    /// <summary>Ends the instance; when the task ends, no call runs on it any more.</summary>
    public Task EndAsync() => Lane.RunAsync(async () =>
    {
        if (!_ended)
        {
            _ended = true;
            _registration?.Dispose();
            await _view.DisposeAsync();
            EndWhenIdle();
        }

        await _idle.Task;
    });

    public void ConfirmedChanged() => CheckVersion();

    public void TentativeChanged() => CheckOwnUpdates();

    public void IssueArose(ConnectionIssue issue) => _world.Counts.Issues++;

    public void IssueResolved(ConnectionIssue issue)
    {
    }

    private async Task<SimulatedReply> ServeAsync(SimulatedCall call)
    {
        switch (call.Kind)
        {
            case CallKind.Append:
                Enqueue(call.Updates);
                await _view.ConfirmAsync();
                break;
            case CallKind.AppendIf:
                if (!await _view.TryEnqueueAsync(call.Updates))
                {
                    return new SimulatedReply(ReplyKind.Declined);
                }

                break;
            case CallKind.Enqueue:
                Enqueue(call.Updates);
                break;
            case CallKind.Read or CallKind.Dump:
                await _view.RefreshAsync();
                break;
        }

        CheckVersion();
        CheckOwnUpdates();
        var seen = _view.Confirmed.Prefix();
        if (seen.Count != _view.Version)
        {
            _world.Fail($"{_name} shows version {_view.Version}, made of {seen.Count} updates");
        }

        _world.Observe(Key, _name, seen);
        return new SimulatedReply(ReplyKind.Done, seen, call.Kind == CallKind.Dump ? [.. _view.Confirmed.Updates] : null);
    }

    private void Enqueue(IReadOnlyList<int> updates)
    {
        if (updates.Count == 1)
        {
            _view.Enqueue(updates[0]);
        }
        else
        {
            _view.Enqueue(updates);
        }

        _own.AddRange(updates);
        CheckOwnUpdates();
    }

    private void CheckVersion()
    {
        if (_view is null)
        {
            return;
        }

        if (_view.Version < _version)
        {
            _world.Fail($"{_name} went back from version {_version} to {_view.Version}");
        }

        _version = _view.Version;
    }

    /// <summary>Read-your-writes, and in the order they were made.</summary>
    private void CheckOwnUpdates()
    {
        if (_view is null || _ended)
        {
            return;
        }

        var next = 0;
        foreach (var update in _view.Tentative.Updates)
        {
            next += next < _own.Count && _own[next] == update ? 1 : 0;
        }

        if (next < _own.Count)
        {
            _world.Fail($"{_name} does not see its own update {_own[next]} in its place");
        }
    }

    private void EndWhenIdle()
    {
        if (_ended && _running == 0)
        {
            _idle.TrySetResult();
        }
    }

    /// <summary>The link of a single-instance grain.</summary>
    private sealed class AloneLink(ClusterId local) : IReplicaLink
    {
        public ClusterId Local => local;

        public IReadOnlyList<ClusterId> Others => [];

        public void Notify(ReadOnlyMemory<byte> payload)
        {
        }

        public ValueTask<ClusterReply> RequestAsync(
            ClusterId to, ReadOnlyMemory<byte> payload, bool activate, CancellationToken cancellationToken = default) =>
            new(ClusterReply.Refused("A single-instance grain has no other instances."));
    }
}
