namespace Geo.Consistency.Tests.Kit;

/// <summary>Remembers what a view said.</summary>
internal sealed class Listener : IViewObserver
{
    public int Confirmed { get; private set; }

    public int Tentative { get; private set; }

    public List<ViewIssue> Arisen { get; } = [];

    public List<ViewIssue> Resolved { get; } = [];

    /// <summary>Runs when the confirmed state has changed.</summary>
    public Action? WhenConfirmed { get; set; }

    public void ConfirmedChanged()
    {
        Confirmed++;
        WhenConfirmed?.Invoke();
    }

    public void TentativeChanged() => Tentative++;

    public void IssueArose(ViewIssue issue) => Arisen.Add(issue);

    public void IssueResolved(ViewIssue issue) => Resolved.Add(issue);
}
