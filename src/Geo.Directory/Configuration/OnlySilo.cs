using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>The silo of a cluster that has no other.</summary>
internal sealed class OnlySilo(string node) : ISiloVersions
{
    private long _processed;

    public void Tell(long processed) => _processed = processed;

    public Task<ImmutableSortedDictionary<string, long>> ReadAsync(long wanted, CancellationToken cancellationToken) =>
        Task.FromResult(ImmutableSortedDictionary.Create<string, long>(StringComparer.Ordinal).Add(node, _processed));
}
