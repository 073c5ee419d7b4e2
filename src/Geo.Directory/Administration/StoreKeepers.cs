namespace Geo.Directory;

/// <summary>The clusters that keep a store together, as a majority of them has decided.</summary>
/// <param name="Version">How often they were changed, and one.</param>
/// <param name="Clusters">The clusters.</param>
/// <param name="IsSettled">
/// True once every key is written in a majority of them: before that the next change is refused. A sweep goes on with it.
/// </param>
public sealed record StoreKeepers(long Version, IReadOnlyList<ClusterId> Clusters, bool IsSettled);
