namespace Geo.Testing;

/// <summary>What an object does when it is called by one client after the other: the measure of linearizability.</summary>
/// <typeparam name="TState">The object's state; immutable, compared by value.</typeparam>
/// <typeparam name="TOperation">What is asked for.</typeparam>
/// <typeparam name="TResult">What comes back; compared by value.</typeparam>
/// <param name="initial">The state before the first operation.</param>
/// <param name="step">
/// A pure function: the state after an operation, and what the operation gives back; null where the operation cannot happen in that state,
/// which also cuts the search short.
/// </param>
/// <param name="effect">
/// What an operation does to the state; <see cref="OperationEffect.Unknown"/> for all unless told, which is always right. Told, histories
/// with many operations at one time and many time-outs take less to decide.
/// </param>
public sealed class SequentialModel<TState, TOperation, TResult>(
    TState initial, Func<TState, TOperation, (TState Next, TResult Result)?> step, Func<TOperation, OperationEffect>? effect = null)
    where TState : notnull
{
    /// <summary>The state before the first operation.</summary>
    public TState Initial { get; } = initial;

    /// <summary>The state after an operation, and what the operation gives back; null where it cannot happen.</summary>
    public (TState Next, TResult Result)? Step(TState state, TOperation operation) => step(state, operation);

    /// <summary>What an operation does to the state.</summary>
    public OperationEffect Effect(TOperation operation) => effect?.Invoke(operation) ?? OperationEffect.Unknown;
}
