namespace Geo.Experiments.ByteArrays;

/// <summary>One number of a row of Figure 8, from region and kind of access.</summary>
/// <param name="IsNear">True from California.</param>
/// <param name="IsFirst">True for the first access from there.</param>
/// <param name="IsUpdate">True for an update.</param>
internal readonly record struct LatencyAccess(bool IsNear, bool IsFirst, bool IsUpdate)
{
    /// <summary>The eight of a row, in the paper's order.</summary>
    public static LatencyAccess[] OfRow { get; } = [.. Enumerable.Range(0, 8).Select(i => new LatencyAccess(i < 4, i % 4 < 2, i % 2 == 1))];

    /// <summary>The accesses of a new array, of which the last is the one that is timed.</summary>
    public IEnumerable<LatencyStep> Steps(LatencyRow row)
    {
        if (row.IsAtNear is { } home && (home != IsNear || !IsFirst))
        {
            yield return new(home, IsUpdate: false);
        }

        if (!IsFirst)
        {
            yield return new(IsNear, IsUpdate: false);
        }

        yield return new(IsNear, IsUpdate);
    }
}
