namespace Geo.Testing;

/// <summary>
/// Looks at the reads of one object one after the other. Where a read begins as the ones before, or is the beginning of them, only what is
/// new is looked at, so that reads of one growing sequence cost little.
/// </summary>
/// <param name="history">Where the updates were written.</param>
/// <param name="key">The object.</param>
internal sealed class SequenceScan<TDebtor>(UpdateHistory history, string key)
    where TDebtor : notnull
{
    private readonly List<long> _sequence = [];
    private object _look = new();

    /// <summary>How much of what somebody is owed is known to be in the sequence.</summary>
    public Dictionary<TDebtor, int> Paid { get; } = [];

    /// <summary>
    /// The updates of a read that have not been looked at, each before it counts as shown; null for one that was not written to the object.
    /// </summary>
    public IEnumerable<(long Number, SessionUpdate? Update)> Follow(SessionRead read)
    {
        var same = 0;
        while (same < read.Updates.Count && same < _sequence.Count && read.Updates[same] == _sequence[same])
        {
            same++;
        }

        if (same < read.Updates.Count && same < _sequence.Count)
        {
            same = 0;
            _sequence.Clear();
            Paid.Clear();
            _look = new();
        }

        for (var i = same; i < read.Updates.Count; i++)
        {
            var update = history.Find(key, read.Updates[i]);
            yield return (read.Updates[i], update);
            _sequence.Add(read.Updates[i]);
            if (update is not null && update.ShownIn != _look)
            {
                (update.ShownIn, update.ShownAt) = (_look, i);
            }
        }
    }

    /// <summary>True when an update is among the first of the sequence, all that have been followed unless told.</summary>
    public bool Shows(SessionUpdate update, int count = int.MaxValue) => update.ShownIn == _look && update.ShownAt < count;
}
