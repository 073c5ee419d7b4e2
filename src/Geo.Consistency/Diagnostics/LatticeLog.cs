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

    [LoggerMessage(
        5, LogLevel.Error,
        "What this silo lacks of coordination-free grains does not fit into MaxHeldBytes, {MaxHeldBytes} bytes. It is asked for again, "
        + "more and more seldom; raise MaxHeldBytes")]
    internal static partial void LacksRoom(ILogger logger, long maxHeldBytes);

    [LoggerMessage(2, LogLevel.Error, "A message about coordination-free grains from cluster {From} could not be read")]
    internal static partial void Unreadable(ILogger logger, Exception exception, ClusterId from);
}
