using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>What coordination-free grains log.</summary>
internal static partial class LatticeLog
{
    [LoggerMessage(
        1, LogLevel.Error,
        "An update of {Grain} from replica {From} could not be merged and was put aside; the other grains go on: {Reason}")]
    internal static partial void Quarantined(ILogger logger, GrainKey grain, ReplicaId from, string reason);

    [LoggerMessage(3, LogLevel.Error, "The state of {Grain} cannot be stored; it is tried again, and lives in memory until then")]
    internal static partial void NotSaved(ILogger logger, Exception exception, GrainKey grain);

    [LoggerMessage(4, LogLevel.Warning, "The stored states of grain class '{GrainClass}' could not all be read; they are asked for again")]
    internal static partial void NotLoaded(ILogger logger, Exception exception, string grainClass);

    [LoggerMessage(2, LogLevel.Error, "A message about coordination-free grains from cluster {From} could not be read")]
    internal static partial void Unreadable(ILogger logger, Exception exception, ClusterId from);
}
