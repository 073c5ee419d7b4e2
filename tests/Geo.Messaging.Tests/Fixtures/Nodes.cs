using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>What the links of a node share, without a node.</summary>
internal static class Nodes
{
    public static NodeContext Of(MessagingOptions options)
    {
        var budgets = new NodeBudgets(options);
        return new NodeContext(
            options, new ChannelTable(options, NullLogger.Instance), TimeProvider.System, new ServiceHandlers(),
            new MessagingMetrics(options.Peer, () => [], () => [], budgets), new BurstWatch(TimeProvider.System), budgets,
            new PeerAccounts(budgets, options.MaxRunningHandlers), NullLogger.Instance);
    }
}
