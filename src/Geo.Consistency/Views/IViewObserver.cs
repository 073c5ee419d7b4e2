namespace Geo.Consistency;

/// <summary>Hears what happens to a view. Called on the view's scheduler, between two steps of it; must not throw.</summary>
public interface IViewObserver
{
    /// <summary>The view knows a newer version.</summary>
    void ConfirmedChanged();

    /// <summary>The tentative state is another one: updates were enqueued, or the version below them changed.</summary>
    void TentativeChanged();

    /// <summary>The view cannot reach the latest version; called again, with more attempts, for every further failure.</summary>
    void IssueArose(ViewIssue issue);

    /// <summary>What kept the view from the latest version is over.</summary>
    void IssueResolved(ViewIssue issue);
}
