namespace Geo.Embedded;

/// <summary>A versioned grain whose events have no common type.</summary>
/// <typeparam name="TState">The state's type.</typeparam>
public abstract class JournaledGrain<TState> : JournaledGrain<TState, object>
    where TState : class, new();
