namespace Geo.Directory;

/// <summary>An instance on this silo whose class says where it is to live.</summary>
/// <param name="key">The grain.</param>
/// <param name="declaration">Its class.</param>
/// <param name="calls">Counts its calls; null where they are not followed.</param>
internal sealed class HomedGrain(GrainKey key, GrainDeclaration declaration, CallerCounts? calls)
{
    public GrainKey Key => key;

    public HomeDeclaration Home => declaration.Home!;

    public CallerCounts? Calls => calls;

    /// <summary>True where clusters besides the two of a move need not be reached for it.</summary>
    public bool IsOwnedByQuorum => declaration.IsOwnedByQuorum;

    /// <summary>What the last look has left; touched by looks alone.</summary>
    public HomeState State { get; set; }
}
