using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>Log messages about activations and calls.</summary>
internal static partial class RuntimeLog
{
    [LoggerMessage(EventId = 20, Level = LogLevel.Warning, Message = "{Grain} could not be activated; its waiting calls fail.")]
    public static partial void ActivationFailed(ILogger logger, Exception exception, GrainKey grain);

    [LoggerMessage(EventId = 21, Level = LogLevel.Error, Message = "{Grain}: its deactivation threw; the grain is gone all the same.")]
    public static partial void DeactivationFailed(ILogger logger, Exception exception, GrainKey grain);

    [LoggerMessage(
        EventId = 22, Level = LogLevel.Warning, Message = "{Grain}: its directory row could not be released; it stays with this silo.")]
    public static partial void ReleaseFailed(ILogger logger, Exception exception, GrainKey grain);

    [LoggerMessage(EventId = 23, Level = LogLevel.Error, Message = "{Grain}: a timer's callback threw; the timer goes on.")]
    public static partial void TimerFailed(ILogger logger, Exception exception, GrainKey grain);

    [LoggerMessage(EventId = 24, Level = LogLevel.Warning, Message = "The one-way call {Call} failed; nobody waits for it.")]
    public static partial void OneWayFailed(ILogger logger, Exception exception, GrainCall call);

    [LoggerMessage(
        EventId = 25, Level = LogLevel.Information,
        Message =
            "Silo {Node} of cluster {Cluster} serves {Classes} grain classes; clusters reach it at {Listening}, clients at {Gateway}.")]
    public static partial void Started(ILogger logger, string node, ClusterId cluster, int classes, object? listening, object? gateway);

    [LoggerMessage(
        EventId = 26, Level = LogLevel.Warning,
        Message = "{Count} grains were still busy {Seconds} s after the silo began to stop; they end with the process, and what they had "
            + "not confirmed may be lost.")]
    public static partial void StillActive(ILogger logger, int count, double seconds);

    [LoggerMessage(EventId = 27, Level = LogLevel.Information, Message = "{Grain} is deactivated: {Reason}")]
    public static partial void Duplicate(ILogger logger, GrainKey grain, string reason);

    [LoggerMessage(
        EventId = 30, Level = LogLevel.Warning,
        Message = "{Grain} may activate here: cluster {Cluster}, where its instance is, has been out of reach for {Down}.")]
    public static partial void InstanceGivenUp(ILogger logger, GrainKey grain, ClusterId cluster, TimeSpan down);

    [LoggerMessage(
        EventId = 29, Level = LogLevel.Error,
        Message = "{Grain} did not come to an end in its time and is given up ({Reason}); {Running} of its calls had not ended. What they "
            + "do from now on reaches neither its stored states nor its versions.")]
    public static partial void Abandoned(ILogger logger, GrainKey grain, DeactivationReason reason, int running);

    [LoggerMessage(
        EventId = 31, Level = LogLevel.Error, Message = "The silo stops, but its {Part} did not end as it should; all the rest is ended.")]
    public static partial void StopFailed(ILogger logger, Exception exception, string part);

    [LoggerMessage(EventId = 28, Level = LogLevel.Warning, Message = "A call from {From} was refused: {Reason}")]
    public static partial void CallUnreadable(ILogger logger, string from, string reason);
}
