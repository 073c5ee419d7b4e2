using Microsoft.Extensions.Logging;

namespace Geo.Orleans;

/// <summary>What the binding logs.</summary>
internal static partial class OrleansLog
{
    [LoggerMessage(1, LogLevel.Warning, "A call carried here from cluster {Cluster} cannot be read; it was refused.")]
    public static partial void CarriedCallUnreadable(this ILogger logger, ClusterId cluster, Exception exception);

    [LoggerMessage(2, LogLevel.Information, "Geo: this silo serves cluster {Cluster} of {Clusters}; other clusters reach it at {Address}.")]
    public static partial void GeoStarted(this ILogger logger, ClusterId cluster, string clusters, string address);

    [LoggerMessage(3, LogLevel.Error, "{Grain}: the journal's protocol reports {Message}")]
    public static partial void JournalProtocolError(this ILogger logger, GrainId grain, string message);

    [LoggerMessage(4, LogLevel.Error, "{Grain}: {Where}")]
    public static partial void JournalCaught(this ILogger logger, GrainId grain, string where, Exception exception);

    [LoggerMessage(5, LogLevel.Warning, "{Grain}: the grain threw when it was told {Callback}.")]
    public static partial void JournalCaughtFromGrain(this ILogger logger, GrainId grain, string callback, Exception exception);

    [LoggerMessage(EventId = 6, Message = "{Grain}: {Message}")]
    public static partial void JournalSays(this ILogger logger, LogLevel level, GrainId grain, string message);

    [LoggerMessage(11, LogLevel.Warning, "A carried call of {Grain} ran, but its answer {Reason}.")]
    public static partial void AnswerNotCarried(this ILogger logger, GrainKey grain, string reason, Exception? exception);

    [LoggerMessage(
        22, LogLevel.Warning,
        "Grain '{Grain}' may activate here: cluster {Cluster}, where its instance is, has been out of reach for {Down}.")]
    public static partial void InstanceGivenUp(this ILogger logger, GrainKey grain, ClusterId cluster, TimeSpan down);

    [LoggerMessage(
        23, LogLevel.Warning, "The entry points {Host} of another cluster cannot be resolved: {Reason}. Those known last stay in use.")]
    public static partial void EntryPointUnresolved(this ILogger logger, string host, string reason);

    [LoggerMessage(24, LogLevel.Error, "The entry points of other clusters were changed and cannot be used; those known last stay in use.")]
    public static partial void EntryPointsUnusable(this ILogger logger, Exception exception);

    [LoggerMessage(25, LogLevel.Error, "No read replica of grain {Grain} can be made here; its reads go to the instance.")]
    public static partial void ReadReplicaNotMade(this ILogger logger, GrainId grain, Exception exception);

    [LoggerMessage(26, LogLevel.Error, "The silo stops, but its {Part} did not end as it should; all the rest is ended.")]
    public static partial void StopFailed(this ILogger logger, Exception exception, string part);

    [LoggerMessage(
        27, LogLevel.Warning,
        "This version of Orleans keeps {Place} elsewhere than the version that Geo is made for: {Instead}.")]
    public static partial void SeamMissing(this ILogger logger, string place, string instead);

    [LoggerMessage(
        28, LogLevel.Warning,
        "Grain '{Grain}' has migrated to silo {Silo}, which does not say that it has it ({Reason}); a call may begin it anew.")]
    public static partial void ArrivalUnknown(this ILogger logger, GrainKey grain, SiloAddress silo, string? reason);
}
