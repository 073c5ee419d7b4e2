using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Geo.Orleans;

/// <summary>
/// Where the instances of grains were that recent calls went to: clusters, or silos of this one. Only a short cut: where a call arrives is
/// checked, and what is wrong here is corrected by the answer.
/// </summary>
/// <param name="limit">How many grains; beyond it all are forgotten at once.</param>
internal sealed class KnownPlaces<TPlace>(int limit)
    where TPlace : notnull
{
    private readonly ConcurrentDictionary<GrainId, TPlace> _places = new();
    private int _count;

    /// <summary>True when a place of the grain is known. Costs almost nothing while none of any is.</summary>
    public bool Knows(GrainId grain) => Volatile.Read(ref _count) != 0 && _places.ContainsKey(grain);

    public bool TryGet(GrainId grain, [MaybeNullWhen(false)] out TPlace place) => _places.TryGetValue(grain, out place);

    public void Remember(GrainId grain, TPlace place)
    {
        if (_places.TryAdd(grain, place))
        {
            if (Interlocked.Increment(ref _count) > limit)
            {
                OrleansMetrics.RoutesForgotten.Add(_places.Count);
                _places.Clear();
                Interlocked.Exchange(ref _count, 0);
            }
        }
        else
        {
            _places[grain] = place;
        }
    }

    public void Forget(GrainId grain)
    {
        if (_places.TryRemove(grain, out _))
        {
            Interlocked.Decrement(ref _count);
        }
    }

    public void Forget(GrainId grain, TPlace stale)
    {
        if (_places.TryRemove(new(grain, stale)))
        {
            Interlocked.Decrement(ref _count);
        }
    }
}
