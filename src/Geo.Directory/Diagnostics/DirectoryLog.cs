using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>What the directory tells an operator.</summary>
internal static partial class DirectoryLog
{
    [LoggerMessage(1, LogLevel.Debug, "Round {Round} for {Grain} ended: {Decision} {Reason}")]
    public static partial void RoundEnded(this ILogger logger, long round, GrainKey grain, GsiDecisionKind decision, string? reason);

    [LoggerMessage(
        2, LogLevel.Warning, "{Grain} runs at {Node} without exclusive ownership, because {Reason}. It is tried again until settled.")]
    public static partial void BecameDoubtful(this ILogger logger, GrainKey grain, string? node, string? reason);

    [LoggerMessage(3, LogLevel.Information, "{Grain} at {Node} is no longer doubtful: this cluster owns it.")]
    public static partial void DoubtfulIsOwned(this ILogger logger, GrainKey grain, string? node);

    [LoggerMessage(4, LogLevel.Warning, "Duplicate instance of {Grain} at {Node} is being deactivated: cluster {Owner} has the grain.")]
    public static partial void Yielding(this ILogger logger, GrainKey grain, string? node, ClusterId owner);

    [LoggerMessage(5, LogLevel.Error, "The duplicate instance of {Grain} at {Node} could not be deactivated; it is tried again.")]
    public static partial void YieldFailed(this ILogger logger, GrainKey grain, string? node, Exception exception);

    [LoggerMessage(6, LogLevel.Debug, "The row of {Grain} ({State} at {Node}) was left behind by a crash and is recovered.")]
    public static partial void RowRecovered(this ILogger logger, GrainKey grain, GsiState state, string? node);

    [LoggerMessage(7, LogLevel.Warning, "The row of {Grain} could not be {Action}: {Reason}")]
    public static partial void RowUnsettled(this ILogger logger, GrainKey grain, string action, string? reason);

    [LoggerMessage(8, LogLevel.Error, "The directory failed to settle {Grain}; it is tried again at the next scan.")]
    public static partial void SettleFailed(this ILogger logger, GrainKey grain, Exception exception);

    [LoggerMessage(9, LogLevel.Warning, "The {Scan} of the directory broke off; it is begun anew at the next interval.")]
    public static partial void ScanFailed(this ILogger logger, string scan, Exception exception);

    [LoggerMessage(
        25, LogLevel.Error,
        "The directory's row '{Key}' cannot be read and is left as it is; until it is repaired, calls of its grain are refused. "
        + "Restore it, or stop all silos of this cluster, remove it from their row store, and start them.")]
    public static partial void RowUnreadable(this ILogger logger, string key, Exception exception);

    [LoggerMessage(
        20, LogLevel.Warning, "The store did not end the {What} of '{Key}' within {Limit}; its outcome is unknown.")]
    public static partial void StoreTimedOut(this ILogger logger, string what, string key, TimeSpan limit);

    [LoggerMessage(21, LogLevel.Warning, "A store operation on '{Key}' that was no longer waited for failed.")]
    public static partial void AbandonedOperationFailed(this ILogger logger, string key, Exception? exception);

    [LoggerMessage(
        22, LogLevel.Warning,
        "The duplicate instance of {Grain} has not ended within {Limit}, for a call still runs on it. Nothing else waits for it; its row "
        + "is settled when it has ended.")]
    public static partial void DeactivationOverdue(this ILogger logger, GrainKey grain, TimeSpan limit);

    [LoggerMessage(
        23, LogLevel.Error, "The messenger has not ended a request to cluster {Cluster} within {Limit}; it counts as not answered.")]
    public static partial void RequestOverdue(this ILogger logger, ClusterId cluster, TimeSpan limit);

    [LoggerMessage(24, LogLevel.Error, "The {Loop} of the directory failed unexpectedly; it goes on.")]
    public static partial void LoopFailed(this ILogger logger, string loop, Exception exception);

    [LoggerMessage(10, LogLevel.Warning, "A directory reply of cluster {From} could not be read: {Reason}")]
    public static partial void BadReply(this ILogger logger, ClusterId from, string reason);

    [LoggerMessage(26, LogLevel.Information, "Configuration {Version} of the multi-cluster counts from the start: {Clusters}.")]
    public static partial void ConfigurationLoaded(this ILogger logger, long version, string clusters);

    [LoggerMessage(27, LogLevel.Information, "Configuration {Version} of the multi-cluster counts from now on: {Clusters}.")]
    public static partial void ConfigurationProcessed(this ILogger logger, long version, string clusters);

    [LoggerMessage(
        28, LogLevel.Warning, "The configuration could not be followed; version {Version}, the last one processed, goes on: {Reason}")]
    public static partial void ConfigurationNotRead(this ILogger logger, long version, string reason);

    [LoggerMessage(29, LogLevel.Error, "The configuration is not followed. {Reason}")]
    public static partial void ConfigurationDistrusted(this ILogger logger, string reason);

    [LoggerMessage(
        11, LogLevel.Warning,
        "Cluster {Cluster} is not in configuration {Version} of the multi-cluster: it gives up the single-instance grains that it has and "
        + "gets no others. Add it with 'geo config add', or stop it.")]
    public static partial void ClusterIsOutside(this ILogger logger, ClusterId cluster, long version);

    [LoggerMessage(45, LogLevel.Information, "{Grain} moves from {From} to {To}: {Why}")]
    public static partial void HomeMove(this ILogger logger, GrainKey grain, ClusterId from, ClusterId to, string why);

    [LoggerMessage(
        46, LogLevel.Warning,
        "{Grain} was to move to {To}, and that cluster did not say that it has taken it: its next caller finds it or places it. It is not "
        + "moved for {Stay}.")]
    public static partial void HomeNotReached(this ILogger logger, GrainKey grain, ClusterId to, TimeSpan stay, Exception? exception);
}
