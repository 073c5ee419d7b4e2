namespace Geo.Embedded;

/// <summary>A coordination-free grain, whose lattice only the grain itself knows.</summary>
internal interface ILatticeGrain
{
    /// <summary>Opens the grain's replica; to be disposed of when the grain ends.</summary>
    IDisposable Attach(ILatticeSource source);
}
