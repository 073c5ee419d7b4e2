using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Geo.Orleans;

/// <summary>
/// Where the instances of grains were that recent calls went to: clusters, or silos of this one. Only a short cut: where a call arrives is
/// checked, and what is wrong here is corrected by the answer. Read without a lock; changes take one, so that their count is exact.
/// </summary>
/// <param name="limit">How many grains; beyond it all are forgotten at once.</param>
internal sealed class KnownPlaces<TPlace>(int limit)
    where TPlace : notnull
{
    private readonly ConcurrentDictionary<GrainId, TPlace> _places = new();
    private readonly Lock _lock = new();

    // The dictionary's own count, and whether it is empty, would take all its locks.
    private int _count;

    /// <summary>True when a place of the grain is known. Costs almost nothing while none of any is.</summary>
    public bool Knows(GrainId grain) => Volatile.Read(ref _count) != 0 && _places.ContainsKey(grain);

    public bool TryGet(GrainId grain, [MaybeNullWhen(false)] out TPlace place) => _places.TryGetValue(grain, out place);

    public void Remember(GrainId grain, TPlace place)
    {
        lock (_lock)
        {
            if (!_places.TryAdd(grain, place))
            {
                _places[grain] = place;
            }
            else if (_count < limit)
            {
                Volatile.Write(ref _count, _count + 1);
            }
            else
            {
                OrleansMetrics.RoutesForgotten.Add(_count + 1);
                _places.Clear();
                Volatile.Write(ref _count, 0);
            }
        }
    }

    public void Forget(GrainId grain)
    {
        lock (_lock)
        {
            Removed(_places.TryRemove(grain, out _));
        }
    }

    public void Forget(GrainId grain, TPlace stale)
    {
        lock (_lock)
        {
            Removed(_places.TryRemove(new(grain, stale)));
        }
    }

    private void Removed(bool wasThere) => Volatile.Write(ref _count, _count - (wasThere ? 1 : 0));
}
