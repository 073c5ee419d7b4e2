namespace Geo.Testing;

/// <summary>The guarantees of an object's one sequence of updates.</summary>
internal static class SequenceChecks
{
    public static GuaranteeViolation? Prefix(UpdateHistory history)
    {
        foreach (var reads in history.Reads.GroupBy(r => r.Read.Key))
        {
            var longest = reads.MaxBy(r => r.Updates.Count)!;
            foreach (var read in reads)
            {
                if (FirstDifference(read, longest) is { } at)
                {
                    var (one, other) = ((read.Read.Process, read.Updates[at]), (longest.Read.Process, longest.Updates[at]));
                    return new GuaranteeViolation(
                        $"{one.Process} sees {one.Item2} as update {at + 1}, {other.Process} sees {other.Item2}.", read.Read, longest.Read);
                }
            }
        }

        return null;
    }

    public static GuaranteeViolation? Convergence(UpdateHistory history)
    {
        foreach (var reads in history.Reads.Where(r => r.Read.Operation.Kind == UpdateCallKind.FinalRead).GroupBy(r => r.Read.Key))
        {
            var first = reads.First();
            if (reads.FirstOrDefault(r => r.Updates.Count != first.Updates.Count || FirstDifference(r, first) is not null) is { } other)
            {
                var at = Math.Min(first.Updates.Count, other.Updates.Count);
                at = first.Updates.Count <= other.Updates.Count ? FirstDifference(first, other) ?? at : FirstDifference(other, first) ?? at;
                return new GuaranteeViolation($"two final reads differ from update {at + 1} on.", first.Read, other.Read);
            }
        }

        return null;
    }

    public static GuaranteeViolation? ExactlyOnce(UpdateHistory history)
    {
        var updates = history.Updates.ToLookup(u => u.Write.Key);
        foreach (var reads in history.Reads.GroupBy(r => r.Read.Key))
        {
            var scan = new SequenceScan<string>(history, reads.Key);
            foreach (var read in reads)
            {
                foreach (var (number, update) in scan.Follow(read))
                {
                    if (update is null || scan.Shows(update))
                    {
                        var how = update is null ? $"update {number}, which was not written, or has failed" : $"update {number} twice";
                        return new GuaranteeViolation($"{read.Read.Process} sees {how}.", read.Read);
                    }
                }

                if (read.Read.Operation.Kind == UpdateCallKind.FinalRead && updates[reads.Key]
                    .FirstOrDefault(u => u.Write.ReturnedAt is not null && !scan.Shows(u, read.Updates.Count)) is { } lost)
                {
                    return new GuaranteeViolation($"update {lost} returned and is lost.", read.Read, lost.Write);
                }
            }
        }

        return null;
    }

    /// <summary>Where a read differs from the beginning of one that is as long or longer.</summary>
    private static int? FirstDifference(SessionRead read, SessionRead longer)
    {
        for (var i = 0; i < read.Updates.Count; i++)
        {
            if (read.Updates[i] != longer.Updates[i])
            {
                return i;
            }
        }

        return null;
    }
}
