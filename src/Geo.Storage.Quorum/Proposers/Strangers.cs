using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>The acceptors that do not count, each with the reason, which is logged once.</summary>
internal sealed class Strangers(QuorumConfiguration configuration, string service, ILogger logger)
{
    private readonly ConcurrentDictionary<ClusterId, string> _reasons = new();

    /// <summary>Why some do not count, one sentence after the other; empty where all do that have answered.</summary>
    public override string ToString() => string.Concat(_reasons.OrderBy(s => s.Key).Select(s => $" {s.Value}"));

    /// <summary>An acceptor has answered as one that counts.</summary>
    public void Clear(ClusterId acceptor)
    {
        if (!_reasons.IsEmpty)
        {
            _reasons.TryRemove(acceptor, out _);
        }
    }

    /// <summary>An acceptor has said what it is.</summary>
    /// <param name="met">Its words.</param>
    /// <param name="founded">The list of stores that counts; null where it is not known yet.</param>
    /// <returns>True when the list is to be offered to it: it keeps none yet.</returns>
    public bool Judge(MetReply met, StoreList? founded)
    {
        var reason = met.Configuration != configuration.InWords
            ? $"Cluster {met.Cluster} does not count, for it keeps the store for {met.Configuration}, and this silo for "
                + $"{configuration.InWords}: give both one list of clusters."
            : founded is not null && founded.Stores.GetValueOrDefault(met.Cluster) != met.Store
            ? $"Cluster {met.Cluster} does not count, for its own store ({met.Store:N}) is not the one with which the store began "
                + $"({founded.Stores.GetValueOrDefault(met.Cluster):N}): what it had promised and accepted is lost. "
                + "Bring that one back, with "
                + "all that it held, and not a backup of it; the other clusters go on without it while they are a majority."
            : founded is not null && met.Founded is not null && met.Founded.Digest != founded.Digest
            ? $"Cluster {met.Cluster} does not count, for it began with other stores ({met.Founded}; here: {founded})."
            : null;
        if (reason is null)
        {
            Clear(met.Cluster);
            return founded is not null && met.Founded is null;
        }

        if (_reasons.TryAdd(met.Cluster, reason))
        {
            logger.DoesNotCount(service, reason);
        }

        return false;
    }
}
