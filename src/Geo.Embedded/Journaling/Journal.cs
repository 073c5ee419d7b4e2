using System.Numerics;
using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>
/// What stands between a grain and its view: the view without its types for the silo, the grain's transitions and notification methods for
/// the view. What those methods throw is logged, because the view's work must go on; trouble is logged at the first failure and then ever
/// more rarely.
/// </summary>
internal sealed class Journal<TState, TEvent> : IJournal, IViewModel<TState, TEvent>, IViewObserver, IReplica, IMemoryWatcher
    where TState : class, new()
{
    private readonly IJournaledGrain<TState, TEvent> _grain;
    private readonly IJournalSource _source;

    public Journal(IJournaledGrain<TState, TEvent> grain, IJournalSource source)
    {
        (_grain, _source) = (grain, source);
        View = source.CreateView(this, this);
    }

    public IVersionedView<TState, TEvent> View { get; }

    public int UnconfirmedCount => View.Unconfirmed.Count;

    public IReplica? Replica => View is not IReplica view ? null : _source.ServesOthers ? this : view;

    public void Start() => View.Start();

    public void GiveUpWaits(GeoOutcomeUnknownException reason) => (View as IWaitedView)?.GiveUpWaits(reason);

    public Task ConfirmAsync(CancellationToken cancellationToken) => View.ConfirmAsync(cancellationToken);

    public ValueTask DisposeAsync() => View.DisposeAsync();

    public TState Create() => new();

    public TState Apply(TState state, TEvent update)
    {
        _grain.Transition(state, update);
        return state;
    }

    ValueTask<ReadOnlyMemory<byte>> IReplica.ReceiveAsync(
        ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        _source.Touch();
        return ((IReplica)View).ReceiveAsync(from, payload, cancellationToken);
    }

    void IReplica.LinkUp(ClusterId cluster) => ((IReplica)View).LinkUp(cluster);

    void IMemoryWatcher.MemoryChanged() => (View as IMemoryWatcher)?.MemoryChanged();

    bool IMemoryWatcher.Is(IMemoryWatcher other) => other == this || (View as IMemoryWatcher)?.Is(other) == true;

    public void ConfirmedChanged() => Notify(static (grain, _) => grain.StateChanged(), null, "OnStateChanged");

    public void TentativeChanged() => Notify(static (grain, _) => grain.TentativeStateChanged(), null, "OnTentativeStateChanged");

    public void IssueArose(ViewIssue issue)
    {
        if (BitOperations.IsPow2(issue.Attempts))
        {
            JournalLog.IssueArose(_source.Logger, _source.Key, issue.What, issue.Attempts, issue.Reason);
        }

        Notify(static (grain, arisen) => grain.IssueArose(arisen!), ConnectionIssue.Of(issue), "OnConnectionIssue");
    }

    public void IssueResolved(ViewIssue issue)
    {
        JournalLog.IssueResolved(_source.Logger, _source.Key, issue.What, issue.Attempts);
        Notify(static (grain, over) => grain.IssueResolved(over!), ConnectionIssue.Of(issue), "OnConnectionIssueResolved");
    }

    private void Notify(Action<IJournaledGrain<TState, TEvent>, ConnectionIssue?> call, ConnectionIssue? about, string method)
    {
        try
        {
            call(_grain, about);
        }
        catch (Exception e)
        {
            JournalLog.NotificationFailed(_source.Logger, e, _source.Key, method);
        }
    }
}
