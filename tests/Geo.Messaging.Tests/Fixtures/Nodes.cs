using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>What the links of a node share, without a node.</summary>
internal static class Nodes
{
    public static NodeContext Of(MessagingOptions options)
    {
        var memory = new LargeMemory(options.MaxLargeBytes);
        return new NodeContext(
            options, new ChannelTable(options, NullLogger.Instance), TimeProvider.System, new ServiceHandlers(),
            new MessagingMetrics(options.Peer, () => [], memory), new BurstWatch(TimeProvider.System), memory,
            new HandlerLimits(options.MaxRunningHandlers), NullLogger.Instance);
    }
}
