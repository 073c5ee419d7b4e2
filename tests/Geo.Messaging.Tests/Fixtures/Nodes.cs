using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>What the links of a node share, without a node.</summary>
internal static class Nodes
{
    public static NodeContext Of(MessagingOptions options)
    {
        var accounts = new PeerAccounts(options);
        return new NodeContext(
            options, new ChannelTable(options, NullLogger.Instance), TimeProvider.System, new ServiceHandlers(),
            MessagingMetrics.Of(options.Peer, () => [], () => [], accounts), new BurstWatch(TimeProvider.System), accounts,
            NullLogger.Instance);
    }
}
