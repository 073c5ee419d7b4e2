namespace Geo.Consistency;

/// <summary>The application's states and updates: how a state begins and what an update does to it (GEO section 2.2).</summary>
/// <typeparam name="TState">The state of one grain.</typeparam>
/// <typeparam name="TUpdate">One update of it.</typeparam>
public interface IViewModel<TState, TUpdate>
{
    /// <summary>The state of version 0; a new object on every call.</summary>
    TState Create();

    /// <summary>
    /// The effect of one update. May change <paramref name="state"/> and return it, or return another object. Must be deterministic:
    /// it may run several times on copies, and on versions that other instances made.
    /// </summary>
    /// <remarks>
    /// Should not throw. If it does, what it changed until then stays, the update takes its place in the sequence (and its version
    /// number) all the same, and the exception is logged.
    /// </remarks>
    TState Apply(TState state, TUpdate update);
}
