using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>What the links of a node share.</summary>
internal sealed record NodeContext(
    MessagingOptions Options, ChannelTable Channels, TimeProvider Time, ServiceHandlers Handlers, MessagingMetrics Metrics,
    BurstWatch Bursts, NodeBudgets Budgets, PeerAccounts Accounts, ILogger Logger)
{
    /// <summary>Where the jitter of waits comes from.</summary>
    public Random Random { get; init; } = Random.Shared;
}
