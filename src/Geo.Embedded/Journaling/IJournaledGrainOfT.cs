namespace Geo.Embedded;

/// <summary>A grain of the versioned API, as its journal sees it: its protected methods.</summary>
internal interface IJournaledGrain<in TState, in TEvent> : IJournaledGrain
{
    void Transition(TState state, TEvent @event);

    void StateChanged();

    void TentativeStateChanged();

    void IssueArose(ConnectionIssue issue);

    void IssueResolved(ConnectionIssue issue);
}
