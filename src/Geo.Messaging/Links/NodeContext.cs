using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>What the links of a node share.</summary>
internal sealed record NodeContext(
    MessagingOptions Options, ChannelTable Channels, TimeProvider Time, ServiceHandlers Handlers, MessagingMetrics Metrics,
    BurstWatch Bursts, PeerAccounts Accounts, ILogger Logger)
{
    public Random Random { get; init; } = Random.Shared;
}
