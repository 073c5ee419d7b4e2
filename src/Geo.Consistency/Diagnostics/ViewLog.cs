using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>The log messages of views.</summary>
internal static partial class ViewLog
{
    [LoggerMessage(1, LogLevel.Error, "Applying an update of {Grain} threw; the update counts as one without further effect")]
    internal static partial void ApplyFailed(ILogger logger, Exception exception, GrainKey grain);

    [LoggerMessage(2, LogLevel.Warning, "{Grain}: {What} failed {Attempts} times in a row: {Reason}; trying again")]
    internal static partial void Unreachable(ILogger logger, GrainKey grain, string what, int attempts, string reason);

    [LoggerMessage(3, LogLevel.Error, "{Grain}: {Reason}")]
    internal static partial void NeedsAttention(ILogger logger, GrainKey grain, string reason);

    [LoggerMessage(4, LogLevel.Error, "The view of {Grain} stopped working on an exception of its own code")]
    internal static partial void Broke(ILogger logger, Exception exception, GrainKey grain);

    [LoggerMessage(5, LogLevel.Error, "The store threw on an operation on '{StoreKey}'; its outcome counts as unknown")]
    internal static partial void StoreThrew(ILogger logger, Exception exception, string storeKey);

    [LoggerMessage(
        6, LogLevel.Debug,
        "{Grain}: a write of unknown outcome turned out to have been applied; {Updates} updates are part of version {Version}")]
    internal static partial void FoundApplied(ILogger logger, GrainKey grain, int updates, long version);

    [LoggerMessage(7, LogLevel.Warning, "{Grain}: a notification from {Cluster} could not be read: {Reason}")]
    internal static partial void UnreadableNotification(ILogger logger, GrainKey grain, ClusterId cluster, string reason);

    [LoggerMessage(8, LogLevel.Information, "{Grain}: leading from version {Version} in term {Term} of {Clusters} clusters")]
    internal static partial void Leading(ILogger logger, GrainKey grain, long version, string term, int clusters);

    [LoggerMessage(9, LogLevel.Warning, "A request of another cluster could not be passed on to silo {Node} of this one: {Reason}")]
    internal static partial void RelayFailed(ILogger logger, string node, string? reason);

    [LoggerMessage(
        10, LogLevel.Warning,
        "{Cluster}: not all volatile grains that were led here are led elsewhere (option HandOverWait): {Reason}. Where updates are "
        + "confirmed by their leader alone, what no other cluster had received is lost")]
    internal static partial void NotHandedOver(ILogger logger, ClusterId cluster, string reason);

    [LoggerMessage(11, LogLevel.Debug, "The read replica of {Grain} got no answer from the grain's instance")]
    internal static partial void ReadReplicaNotFed(ILogger logger, Exception exception, GrainKey grain);
}
