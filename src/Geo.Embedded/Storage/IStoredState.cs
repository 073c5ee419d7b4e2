namespace Geo.Embedded;

/// <summary>A stored state as its activation sees it.</summary>
internal interface IStoredState : IStorage
{
    /// <summary>Reads the state before the grain is activated.</summary>
    Task LoadAsync(CancellationToken cancellationToken);

    /// <summary>The activation was ended while its code runs: no further operation begins. Called on any thread.</summary>
    void Close();
}
