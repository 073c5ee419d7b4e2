namespace Geo.Experiments.Orleans;

/// <summary>How many messages without a reply have arrived at this silo.</summary>
internal sealed class Arrivals
{
    private long _count;

    public long Count => Interlocked.Read(ref _count);

    public void Add() => Interlocked.Increment(ref _count);
}
