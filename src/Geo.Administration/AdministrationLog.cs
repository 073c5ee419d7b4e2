using Microsoft.Extensions.Logging;

namespace Geo.Administration;

/// <summary>What the endpoint logs.</summary>
internal static partial class AdministrationLog
{
    [LoggerMessage(1, LogLevel.Warning, "The other clusters could not be greeted; it is tried again")]
    internal static partial void GreetingFailed(ILogger logger, Exception exception);

    [LoggerMessage(2, LogLevel.Information, "The admin endpoint listens on {Address}")]
    internal static partial void Listening(ILogger logger, string address);

    [LoggerMessage(
        3, LogLevel.Warning,
        "A request to the admin endpoint from {Remote} was refused: its key is not the one that is set. "
        + "{Others} more since this was last said")]
    internal static partial void WrongKey(ILogger logger, string remote, long others);

    [LoggerMessage(4, LogLevel.Information, "Ordered over the admin endpoint from {Remote}: {Order} of {Grain}; {Outcome}")]
    internal static partial void Ordered(ILogger logger, string remote, string order, GrainKey grain, string outcome);

    [LoggerMessage(6, LogLevel.Warning, "The admin endpoint's certificate has changed and cannot be used; the last one stays: {Reason}")]
    internal static partial void CertificateNotReloaded(ILogger logger, string reason);

    [LoggerMessage(7, LogLevel.Warning, "Ordered over the admin endpoint from {Remote}: {Order} of clusters {Clusters}; {Outcome}")]
    internal static partial void ConfigurationOrdered(ILogger logger, string remote, string order, string clusters, string outcome);

    [LoggerMessage(
        8, LogLevel.Warning,
        "Ordered over the admin endpoint from {Remote}: {Order} of cluster {Cluster} as keeper of store {Store}; {Outcome}")]
    internal static partial void KeepersOrdered(
        ILogger logger, string remote, string order, string cluster, string store, string outcome);

    [LoggerMessage(5, LogLevel.Error, "A request to the admin endpoint failed")]
    internal static partial void RequestFailed(ILogger logger, Exception exception);
}
