using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>A replica whose messages keep its grain active.</summary>
internal sealed class TouchingReplica(IReplica inner, ActivationTurns turns) : IReplica, IMemoryWatcher, IAsyncDisposable
{
    public ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        turns.Touch();
        return inner.ReceiveAsync(from, payload, cancellationToken);
    }

    public void LinkUp(ClusterId cluster) => inner.LinkUp(cluster);

    public ValueTask DisposeAsync() => (inner as IAsyncDisposable)?.DisposeAsync() ?? default;

    public void MemoryChanged() => (inner as IMemoryWatcher)?.MemoryChanged();

    public bool Is(IMemoryWatcher other) => other == this || (inner as IMemoryWatcher)?.Is(other) == true;
}
