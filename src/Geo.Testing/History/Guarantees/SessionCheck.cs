namespace Geo.Testing;

/// <summary>The four guarantees of a session (Terry et al., 1994), each of one object at a time.</summary>
internal sealed class SessionCheck(UpdateHistory history, Guarantees guarantee)
{
    private readonly Dictionary<string, SequenceScan<string>> _scans = [];

    private bool IsOwn => guarantee is Guarantees.ReadYourWrites or Guarantees.MonotonicWrites;

    public static GuaranteeViolation? Run(UpdateHistory history, Guarantees guarantee)
    {
        var check = new SessionCheck(history, guarantee);
        return history.Reads.Select(check.Find).FirstOrDefault(found => found is not null);
    }

    private GuaranteeViolation? Find(SessionRead read)
    {
        var scan = _scans.TryGetValue(read.Read.Key, out var known) ? known : _scans[read.Read.Key] = new(history, read.Read.Key);
        var isInOrder = guarantee is Guarantees.MonotonicWrites or Guarantees.WritesFollowReads;
        foreach (var (_, update) in scan.Follow(read))
        {
            if (isInOrder && update is not null && FindBefore(update, scan) is { } owed)
            {
                return new GuaranteeViolation(
                    $"{read.Read.Process} sees update {update} without update {owed} before it, which {update.Write.Process} had "
                        + (IsOwn ? "written earlier." : "read when it wrote."),
                    read.Read,
                    update.Write,
                    owed.Write);
            }
        }

        return isInOrder ? null : FindMissing(read, scan);
    }

    private GuaranteeViolation? FindMissing(SessionRead read, SequenceScan<string> scan)
    {
        var knowledge = history.Of(read.Read.Process, read.Read.Key);
        var (owed, count) = IsOwn ? (knowledge.Own, read.Own) : (knowledge.Seen, read.Known);
        for (var i = 0; i < count; i++)
        {
            if (!scan.Shows(owed[i], read.Updates.Count))
            {
                return IsOwn
                    ? new($"{read.Read.Process} does not see update {owed[i]}, which it has written.", read.Read, owed[i].Write)
                    : new($"{read.Read.Process} does not see update {owed[i]}, which it has seen before.", read.Read, First(read, owed[i]));
            }
        }

        return null;
    }

    private HistoryOperation<UpdateCall, SeenUpdates> First(SessionRead read, SessionUpdate seen) => history.Reads
        .First(r => r.Read.Process == read.Read.Process && r.Updates.Contains(seen.Write.Operation.Update)).Read;

    private SessionUpdate? FindBefore(SessionUpdate update, SequenceScan<string> scan)
    {
        var session = update.Write.Process;
        var knowledge = history.Of(session, update.Write.Key);
        var (owed, count) = IsOwn ? (knowledge.Own, update.Own) : (knowledge.Seen, update.Known);
        var paid = scan.Paid.GetValueOrDefault(session);
        for (; paid < count; paid++)
        {
            if (!scan.Shows(owed[paid]))
            {
                return owed[paid];
            }
        }

        scan.Paid[session] = paid;
        return null;
    }
}
