namespace Geo.Embedded;

/// <summary>
/// A stored state that a grain asked for by a <see cref="PersistentStateAttribute"/>; read before the grain is activated.
/// </summary>
/// <typeparam name="TState">The state's type.</typeparam>
public interface IPersistentState<TState> : IStorage<TState>;
