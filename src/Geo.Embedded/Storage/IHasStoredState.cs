namespace Geo.Embedded;

/// <summary>A grain whose one state the silo reads before it activates the grain.</summary>
internal interface IHasStoredState
{
    /// <summary>The state's type.</summary>
    Type StateType { get; }

    /// <summary>Hands the grain its state, an <see cref="IStorage{TState}"/> of <see cref="StateType"/>.</summary>
    void Attach(IStorage storage);
}
