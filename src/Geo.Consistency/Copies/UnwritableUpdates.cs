namespace Geo.Consistency;

/// <summary>Finds the updates that make a state which cannot be written.</summary>
internal static class UnwritableUpdates
{
    /// <summary>
    /// The places, from and to, of the first group of updates whose state cannot be written; null when it is not the updates, but the last
    /// version itself.
    /// </summary>
    /// <param name="view">The updates, and the last version.</param>
    /// <param name="count">So many of the oldest make a state that cannot be written.</param>
    /// <param name="maxBytes">A state of more bytes cannot be.</param>
    internal static (int First, int End)? Find<TState, TUpdate>(QueuedView<TState, TUpdate> view, int count, int maxBytes)
    {
        if (!CanWriteWith(0))
        {
            return null;
        }

        // The oldest groups up to "good" make a state that can be written, those up to "bad" one that cannot.
        var ends = view.Queue.GroupEnds(count);
        var (good, bad) = (-1, ends.Count - 1);
        while (bad - good > 1)
        {
            var middle = (good + bad) / 2;
            (good, bad) = CanWriteWith(ends[middle]) ? (middle, bad) : (good, middle);
        }

        return (good < 0 ? 0 : ends[good], ends[bad]);

        bool CanWriteWith(int updates)
        {
            try
            {
                var writer = new PayloadWriter();
                view.Copy.WriteWith(view, updates, writer);
                return writer.Written.Length <= maxBytes;
            }
            catch (GeoSerializationException)
            {
                return false;
            }
        }
    }
}
