namespace Geo.Testing.Conformance;

/// <summary>A store under test: how to open it, and how far to go.</summary>
/// <param name="OpenAsync">
/// Opens the store. Called again within one case it must give a handle onto the same data, as another process would have it; a store that
/// lives in one process gives the same object again. Whoever made the subject closes the handles.
/// </param>
public sealed record ConditionalStoreSubject(Func<ValueTask<IConditionalStore>> OpenAsync)
{
    /// <summary>The largest value the suite writes, in bytes; 1 MiB by default. The store must take it.</summary>
    public int LargeValueBytes { get; init; } = 1024 * 1024;

    /// <summary>How many increments each of the concurrent writers makes; 25 by default. Lower it for a slow store.</summary>
    public int IncrementsPerWriter { get; init; } = 25;

    /// <summary>How many entries the listing cases write; 40 by default.</summary>
    public int ListedEntries { get; init; } = 40;

    /// <summary>
    /// Whether the store lists; true by default. One that does not must refuse to with a <see cref="GeoStorageException"/>.
    /// </summary>
    public bool CanList { get; init; } = true;
}
