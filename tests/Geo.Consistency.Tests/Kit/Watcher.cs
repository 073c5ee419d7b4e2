namespace Geo.Consistency.Tests.Kit;

/// <summary>An instance that shows a memory and does nothing with it.</summary>
internal sealed class Watcher : IReplica, IMemoryWatcher
{
    /// <summary>One that its host has made known.</summary>
    internal static Watcher On(ReplicaExchange exchange, GrainKey grain)
    {
        var watcher = new Watcher();
        exchange.Register(grain, watcher, TaskScheduler.Default);
        return watcher;
    }

    public void MemoryChanged()
    {
    }

    public ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken) => default;

    public void LinkUp(ClusterId cluster)
    {
    }
}
