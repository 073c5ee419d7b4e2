using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>Log messages about versioned grains.</summary>
internal static partial class JournalLog
{
    [LoggerMessage(
        EventId = 1, Level = LogLevel.Warning, Message = "{Grain}: {What} has failed {Attempts} times; local operations go on. {Reason}")]
    public static partial void IssueArose(ILogger logger, GrainKey grain, string what, int attempts, string reason);

    [LoggerMessage(EventId = 2, Level = LogLevel.Information, Message = "{Grain}: {What} works again after {Attempts} failures.")]
    public static partial void IssueResolved(ILogger logger, GrainKey grain, string what, int attempts);

    [LoggerMessage(EventId = 3, Level = LogLevel.Error, Message = "{Grain}: its {Method} threw; the versions go on without it.")]
    public static partial void NotificationFailed(ILogger logger, Exception exception, GrainKey grain, string method);

    [LoggerMessage(EventId = 4, Level = LogLevel.Warning,
        Message =
            "{Grain} ended with {Count} events unconfirmed after {Seconds} s: whether they became part of a version is not known here.")]
    public static partial void EndedUnconfirmed(ILogger logger, Exception? exception, GrainKey grain, int count, double seconds);
}
