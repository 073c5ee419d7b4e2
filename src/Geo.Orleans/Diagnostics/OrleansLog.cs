using Microsoft.Extensions.Logging;

namespace Geo.Orleans;

/// <summary>What the binding logs.</summary>
internal static partial class OrleansLog
{
    [LoggerMessage(1, LogLevel.Warning, "A call carried here from cluster {Cluster} cannot be read; it was refused.")]
    public static partial void CarriedCallUnreadable(this ILogger logger, ClusterId cluster, Exception exception);

    [LoggerMessage(2, LogLevel.Information, "Geo: this silo serves cluster {Cluster} of {Clusters}; other clusters reach it at {Address}.")]
    public static partial void GeoStarted(this ILogger logger, ClusterId cluster, string clusters, string address);
}
