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
    /// <param name="state">
    /// Given for the call alone: what it is given again for may be another object, and this one may be changed by later updates, or be the
    /// one that <see cref="IVersionedView{TState, TUpdate}.Confirmed"/> shows next.
    /// </param>
    /// <param name="update">
    /// The object that was raised, as long as it is of this instance: it is applied to the tentative state, and again, the same object,
    /// where its condition is decided and a version made. So it must not be changed, neither here nor after it was raised, and nothing of
    /// it that can be changed (a list, an array) may become part of a state that a later update changes: two states would share it. Copy
    /// such parts into the state; what cannot be changed may be kept.
    /// </param>
    /// <remarks>
    /// Should not throw. If it does, what it changed until then stays, the update takes its place in the sequence (and its version
    /// number) all the same, and the exception is logged.
    /// </remarks>
    TState Apply(TState state, TUpdate update);
}
