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
    /// <param name="known">The list of stores that counts; null where it is not known yet.</param>
    public void Judge(MetReply met, StoreList? known)
    {
        if (ReasonFor(met, known) is not { } reason)
        {
            Clear(met.Cluster);
        }
        else if (_reasons.TryAdd(met.Cluster, reason))
        {
            logger.DoesNotCount(service, reason);
        }
    }

    /// <summary>
    /// True for one that keeps no list yet, or an earlier one, and to which the known one is to be offered: a later one than the first also
    /// where it does not name its store, which may be lost.
    /// </summary>
    public bool Lacks(MetReply met, StoreList known) =>
        met.Configuration == configuration.InWords
        && (met.Kept is { } own
            ? known.Supersedes(own) && ReasonFor(met, known) is null
            : known.Version > 1 || known.Names(met.Cluster, met.Store));

    private string? ReasonFor(MetReply met, StoreList? known) =>
        met.Configuration != configuration.InWords
            ? $"Cluster {met.Cluster} does not count, for it keeps the store for {met.Configuration}, and this silo for "
                + $"{configuration.InWords}: give both one list of clusters."
            : known is null ? null
            : known.Stores.TryGetValue(met.Cluster, out var named) && named != met.Store && IsKnownTo(met, known)
            ? $"Cluster {met.Cluster} does not count, for its own store ({met.Store:N}) is not the one that it was taken in with "
                + $"({named:N}): what it had promised and accepted is lost. "
                + "Bring that one back, with "
                + "all that it held, and not a backup of it, or take the cluster out and in again "
                + $"({nameof(QuorumConditionalStore.RemoveKeeperAsync)}, {nameof(QuorumConditionalStore.AddKeeperAsync)}); "
                + "the other clusters go on without it while they are a majority."
            : met.Kept is { } kept && kept.Digest != known.Digest && !kept.Supersedes(known) && !known.Supersedes(kept)
            ? $"Cluster {met.Cluster} does not count, for it began with other stores ({kept}; here: {known})."
            : null;

    // One that knows of a later list may have been taken in anew since.
    private static bool IsKnownTo(MetReply met, StoreList known) => met.Kept?.Supersedes(known) != true;
}
