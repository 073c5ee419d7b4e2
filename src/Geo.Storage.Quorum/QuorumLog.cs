using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>What a quorum store logs.</summary>
internal static partial class QuorumLog
{
    [LoggerMessage(1, LogLevel.Warning, "The acceptor of {Cluster} gave no answer that can be used.")]
    public static partial void AcceptorFailed(this ILogger logger, ClusterId cluster, Exception exception);

    [LoggerMessage(2, LogLevel.Error, "The store '{Service}': {Reason}")]
    public static partial void DoesNotCount(this ILogger logger, string service, string reason);

    [LoggerMessage(
        3, LogLevel.Information,
        "A sweep of the store '{Service}': {Keys} keys, {Repaired} repaired, {Forgotten} forgotten, {Remaining} left, "
        + "complete: {IsComplete}.")]
    public static partial void Swept(
        this ILogger logger, string service, long keys, long repaired, long forgotten, long remaining, bool isComplete);

    [LoggerMessage(4, LogLevel.Warning, "A sweep of the store '{Service}' broke off; the next one is tried in its time.")]
    public static partial void SweepFailed(this ILogger logger, string service, Exception exception);

    [LoggerMessage(
        5, LogLevel.Warning,
        "The store '{Service}' is kept by two clusters, [{Clusters}]: any cut between them, and the loss of either, stops it in both. A "
        + "third cluster, which may be a witness without grains, lets any two go on.")]
    public static partial void StopsWithAnyCut(this ILogger logger, string service, string clusters);

    [LoggerMessage(6, LogLevel.Information, "The store '{Service}' is kept by the clusters [{Clusters}] from now on: version {Version}.")]
    public static partial void KeepersChanged(this ILogger logger, string service, long version, string clusters);

    [LoggerMessage(
        7, LogLevel.Information,
        "The store '{Service}' has every key in a majority of the clusters of version {Version}: they may be changed again.")]
    public static partial void KeepersSettled(this ILogger logger, string service, long version);

    [LoggerMessage(
        8, LogLevel.Warning,
        "The store '{Service}': not every key is written by the clusters that keep it now ({Reason}); the next sweep goes on with it, and "
        + "the clusters cannot be changed again before.")]
    public static partial void NotSettled(this ILogger logger, string service, string reason);

    [LoggerMessage(
        9, LogLevel.Warning,
        "The store '{Service}' goes on without [{Lost}] by force: the clusters {List} begin another register with what they have, version "
        + "{Version}.")]
    public static partial void KeepersForced(this ILogger logger, string service, string lost, StoreList list, long version);
}
