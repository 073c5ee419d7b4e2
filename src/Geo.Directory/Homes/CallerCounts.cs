namespace Geo.Directory;

/// <summary>
/// Counts the calls of one grain by the cluster that they come from: in numbers that are there from the beginning, so that a call allocates
/// nothing, and whose older part fades, so that they say who calls now. Safe to use from several threads.
/// </summary>
internal sealed class CallerCounts(CallerSlots slots)
{
    private readonly int[] _calls = new int[CallerSlots.Most];

    /// <summary>A call has come.</summary>
    /// <param name="from">The cluster in which it was made; none for this one.</param>
    public void Note(ClusterId from) => Interlocked.Increment(ref _calls[from.IsNone ? 0 : slots.Of(from)]);

    /// <summary>What was counted.</summary>
    /// <param name="counts">Room for <see cref="CallerSlots.Most"/> of them.</param>
    /// <returns>The part of it that is used.</returns>
    public ReadOnlySpan<CallerCount> Read(Span<CallerCount> counts)
    {
        var clusters = slots.Clusters;
        for (var i = 0; i < clusters.Count; i++)
        {
            counts[i] = new(clusters[i], Volatile.Read(ref _calls[i]));
        }

        return counts[..clusters.Count];
    }

    /// <summary>Has what was counted so far count half, where it is enough to tell from.</summary>
    public void Fade()
    {
        var all = 0L;
        foreach (ref var calls in _calls.AsSpan())
        {
            all += Volatile.Read(ref calls);
        }

        if (all < HomeRules.Full)
        {
            return;
        }

        foreach (ref var calls in _calls.AsSpan())
        {
            var counted = Volatile.Read(ref calls);
            Interlocked.Add(ref calls, -(counted - (counted / 2)));
        }
    }
}
