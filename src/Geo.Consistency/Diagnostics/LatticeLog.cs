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
}
