namespace Geo.Embedded;

/// <summary>
/// The base of grain classes with one stored state, read before activation and written when the grain says so (GEO section 2.1, basic
/// state API). <see cref="StorageProviderAttribute"/> picks the store.
/// </summary>
/// <typeparam name="TState">The state's type: public properties or fields, and a constructor without parameters.</typeparam>
public abstract class Grain<TState> : Grain, IHasStoredState
{
    private IStorage<TState>? _storage;

    /// <summary>The state in memory.</summary>
    protected TState State
    {
        get => Storage.State;
        set => Storage.State = value;
    }

    Type IHasStoredState.StateType => typeof(TState);

    private IStorage<TState> Storage => _storage
        ?? throw new InvalidOperationException(
            $"The state of {GetType().FullName} is there from OnActivateAsync on, not in the constructor.");

    void IHasStoredState.Attach(IStorage storage) => _storage = (IStorage<TState>)storage;

    /// <summary>Deletes what is stored; the outcomes are those of <see cref="IStorage"/>.</summary>
    protected virtual Task ClearStateAsync() => Storage.ClearStateAsync();

    /// <summary>Writes the state; the outcomes are those of <see cref="IStorage"/>.</summary>
    protected virtual Task WriteStateAsync() => Storage.WriteStateAsync();

    /// <summary>Reads the state afresh; the outcomes are those of <see cref="IStorage"/>.</summary>
    protected virtual Task ReadStateAsync() => Storage.ReadStateAsync();
}
