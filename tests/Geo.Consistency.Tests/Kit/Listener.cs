namespace Geo.Consistency.Tests.Kit;

/// <summary>Remembers what a view said.</summary>
internal sealed class Listener : IViewObserver
{
    public int Confirmed { get; private set; }

    public int Tentative { get; private set; }

    public List<ConnectionIssue> Arisen { get; } = [];

    public List<ConnectionIssue> Resolved { get; } = [];

    public void ConfirmedChanged() => Confirmed++;

    public void TentativeChanged() => Tentative++;

    public void IssueArose(ConnectionIssue issue) => Arisen.Add(issue);

    public void IssueResolved(ConnectionIssue issue) => Resolved.Add(issue);
}
