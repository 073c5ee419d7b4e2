using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>The versions of the live configuration in the leases of a cluster's silos.</summary>
/// <param name="leases">The leases of the cluster.</param>
/// <param name="own">This silo's.</param>
internal sealed class LeaseVersions(LiveLeases leases, SiloLease own) : ISiloVersions
{
    private static readonly LeaseRow Unreadable = new();

    public void Tell(long processed) => own.Processed = processed;

    public async Task<ImmutableSortedDictionary<string, long>> ReadAsync(long wanted, CancellationToken cancellationToken)
    {
        var versions = ImmutableSortedDictionary.CreateBuilder<string, long>(StringComparer.Ordinal);
        foreach (var (node, row) in await leases.ListAsync(Unreadable, cancellationToken))
        {
            if (row.Configuration >= wanted || await leases.EndOfAsync(node, cancellationToken) != SiloEnd.Gone)
            {
                versions[node] = row.Configuration;
            }
        }

        return versions.ToImmutable();
    }
}
