namespace Geo.Consistency;

/// <summary>One active instance, and the notifications that wait for its scheduler: at most one of each cluster, the newest.</summary>
internal sealed class RegisteredReplica(
    ReplicaRegistry registry, GrainKey key, IReplica replica, TaskScheduler scheduler, Action<GrainKey>? leave)
    : IDisposable
{
    // There while a notification waits.
    private Dictionary<ClusterId, byte[]>? _waiting;
    private int _isTold;

    internal GrainKey Key => key;

    public void Dispose() => registry.Remove(this);

    internal Task<ReadOnlyMemory<byte>> RequestAsync(ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken) =>
        Task.Factory.StartNew(
            () => replica.ReceiveAsync(from, payload, cancellationToken).AsTask(),
            cancellationToken,
            TaskCreationOptions.DenyChildAttach,
            scheduler).Unwrap();

    internal void Notify(ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        lock (this)
        {
            _waiting ??= Spare<Dictionary<ClusterId, byte[]>>.Take();
            var isScheduled = _waiting.ContainsKey(from);
            _waiting[from] = payload.ToArray();
            if (isScheduled)
            {
                ConsistencyMetrics.NotificationsReplaced.Add(1);
                return;
            }
        }

        Schedule(from, cancellationToken);
    }

    /// <summary>As <see cref="Notify"/>, for what may be older than a notification that waits.</summary>
    internal void TellAgain(ClusterId from, byte[] payload, CancellationToken cancellationToken)
    {
        lock (this)
        {
            _waiting ??= Spare<Dictionary<ClusterId, byte[]>>.Take();
            if (!_waiting.TryAdd(from, payload))
            {
                return;
            }
        }

        Schedule(from, cancellationToken);
    }

    private void Schedule(ClusterId from, CancellationToken cancellationToken)
    {
        _ = Task.Factory.StartNew(
            () => replica.ReceiveAsync(from, TakeWaiting(from), cancellationToken).AsTask(),
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach,
            scheduler);
    }

    internal void LinkUp(ClusterId cluster) => _ = Task.Factory.StartNew(
        () => replica.LinkUp(cluster), CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);

    /// <summary>Another instance has its place: its host has given this one up, whose code may run on.</summary>
    internal void IsReplaced()
    {
        ConsistencyMetrics.ViewsReplaced.Add(1);
        if (replica is IAsyncDisposable view)
        {
            _ = Task.Factory.StartNew(
                () => view.DisposeAsync().AsTask(), CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
        }
    }

    internal bool IsFor(IMemoryWatcher watcher) => (replica as IMemoryWatcher)?.Is(watcher) == true;

    /// <summary>Another silo of the cluster has an instance.</summary>
    internal void Leave() => leave?.Invoke(key);

    /// <summary>The memory that the view shows has changed; several changes are told as one.</summary>
    internal void MemoryChanged()
    {
        if (replica is not IMemoryWatcher watcher || Interlocked.Exchange(ref _isTold, 1) != 0)
        {
            return;
        }

        _ = Task.Factory.StartNew(
            () =>
            {
                Volatile.Write(ref _isTold, 0);
                watcher.MemoryChanged();
            },
            CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
    }

    private byte[] TakeWaiting(ClusterId from)
    {
        lock (this)
        {
            _waiting!.Remove(from, out var payload);
            if (_waiting.Count == 0)
            {
                Spare<Dictionary<ClusterId, byte[]>>.Give(_waiting);
                _waiting = null;
            }

            return payload!;
        }
    }
}
