using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>Which versions of the live configuration the silos of a cluster have processed.</summary>
internal interface ISiloVersions
{
    /// <summary>This silo has processed a version, and says so from its next renewal on.</summary>
    void Tell(long processed);

    /// <summary>What each silo says that is not fenced off. One that is dead and was left behind is fenced off first.</summary>
    /// <param name="wanted">The version that all are to have processed.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    Task<ImmutableSortedDictionary<string, long>> ReadAsync(long wanted, CancellationToken cancellationToken);
}
