using System.Numerics;
using Geo.Consistency;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>
/// Passes a view's notifications to its grain's methods; what they throw is logged, because the view's work must go on. Trouble is
/// logged at the first failure and then ever more rarely.
/// </summary>
internal sealed class JournalObserver(
    Action confirmed, Action tentative, Action<ConnectionIssue> issue, Action<ConnectionIssue> resolved, ILogger logger, GrainKey key)
    : IViewObserver
{
    public void ConfirmedChanged() => Notify(static (o, _) => o.Confirmed(), null, "OnStateChanged");

    public void TentativeChanged() => Notify(static (o, _) => o.Tentative(), null, "OnTentativeStateChanged");

    public void IssueArose(ViewIssue issue)
    {
        if (BitOperations.IsPow2(issue.Attempts))
        {
            JournalLog.IssueArose(logger, key, issue.What, issue.Attempts, issue.Reason);
        }

        Notify(static (o, i) => o.Issue(i!), ConnectionIssue.Of(issue), "OnConnectionIssue");
    }

    public void IssueResolved(ViewIssue issue)
    {
        JournalLog.IssueResolved(logger, key, issue.What, issue.Attempts);
        Notify(static (o, i) => o.Resolved(i!), ConnectionIssue.Of(issue), "OnConnectionIssueResolved");
    }

    private void Confirmed() => confirmed();

    private void Tentative() => tentative();

    private void Issue(ConnectionIssue arisen) => issue(arisen);

    private void Resolved(ConnectionIssue over) => resolved(over);

    private void Notify(Action<JournalObserver, ConnectionIssue?> call, ConnectionIssue? about, string method)
    {
        try
        {
            call(this, about);
        }
        catch (Exception e)
        {
            JournalLog.NotificationFailed(logger, e, key, method);
        }
    }
}
