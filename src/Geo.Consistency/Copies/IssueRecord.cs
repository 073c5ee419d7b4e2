namespace Geo.Consistency;

/// <summary>Keeps what a view reports about its connection, and tells the observer.</summary>
internal sealed class IssueRecord(TimeProvider time, IViewObserver? observer)
{
    internal ViewIssue? Current { get; private set; }

    internal void Arose(string what, string reason, bool isPermanent = false)
    {
        Current = Current is { } earlier
            ? earlier with { What = what, Attempts = earlier.Attempts + 1, Reason = reason, Permanent = isPermanent }
            : new(what, time.GetUtcNow(), 1, reason, isPermanent);
        observer?.IssueArose(Current);
    }

    internal void Resolved()
    {
        if (Current is { } issue)
        {
            Current = null;
            observer?.IssueResolved(issue);
        }
    }
}
