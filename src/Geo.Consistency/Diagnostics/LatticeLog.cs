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

    [LoggerMessage(2, LogLevel.Error, "A message about coordination-free grains from cluster {From} could not be read")]
    internal static partial void Unreadable(ILogger logger, Exception exception, ClusterId from);
}
