namespace Geo.Embedded;

/// <summary>A stored state as its activation sees it.</summary>
internal interface IStoredState : IStorage
{
    /// <summary>Reads the state before the grain is activated.</summary>
    Task LoadAsync(CancellationToken cancellationToken);
}
