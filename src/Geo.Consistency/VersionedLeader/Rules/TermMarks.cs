namespace Geo.Consistency;

/// <summary>Whether a history of terms contains a version that a session has marked.</summary>
internal static class TermMarks
{
    /// <remarks>
    /// A version is that of a term if no later one began below it. What was confirmed in a term is in every later one, but for a stated
    /// loss: then the first later one began below it, and the version is lost.
    /// </remarks>
    internal static MarkState StateOf(ReplicaLog log, SessionMark mark)
    {
        for (var i = 0; i < log.Starts.Length; i++)
        {
            var (term, start) = log.Starts[i];
            if (term.Counter == mark.Counter && SessionMark.OwnerOf(term) == mark.Owner)
            {
                var end = i + 1 < log.Starts.Length ? log.Starts[i + 1].Version : log.Version;
                return mark.Version <= end ? MarkState.Contained : i + 1 < log.Starts.Length ? MarkState.Lost : MarkState.Behind;
            }

            if (term.Counter >= mark.Counter && start >= mark.Version)
            {
                // Of the terms before the first that is kept nobody knows: one of them may have begun below the version.
                return i > 0 ? MarkState.Contained : MarkState.Forgotten;
            }

            if (term.Counter > mark.Counter)
            {
                return MarkState.Lost;
            }

            // Of another owner with the same counter nobody can say from here whether it came later.
        }

        return MarkState.Behind;
    }
}
