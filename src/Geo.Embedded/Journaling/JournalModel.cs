using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>The states and events of a journaled grain, as its view sees them.</summary>
internal sealed class JournalModel<TState, TEvent>(Action<TState, TEvent> transition) : IViewModel<TState, TEvent>
    where TState : class, new()
{
    public TState Create() => new();

    public TState Apply(TState state, TEvent update)
    {
        transition(state, update);
        return state;
    }
}
