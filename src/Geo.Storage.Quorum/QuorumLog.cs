using Microsoft.Extensions.Logging;

namespace Geo.Storage.Quorum;

/// <summary>What a quorum store logs.</summary>
internal static partial class QuorumLog
{
    [LoggerMessage(1, LogLevel.Warning, "The acceptor of {Cluster} gave no answer that can be used.")]
    public static partial void AcceptorFailed(this ILogger logger, ClusterId cluster, Exception exception);
}
