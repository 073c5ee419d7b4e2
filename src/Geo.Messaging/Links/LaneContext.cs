using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>What the lanes of a node share.</summary>
internal sealed record LaneContext(
    MessagingOptions Options, ChannelTable Channels, TimeProvider Time, ServiceHandlers Handlers, MessagingMetrics Metrics,
    TurnWatch Turns, LargeBuffers Buffers, ILogger Logger);
