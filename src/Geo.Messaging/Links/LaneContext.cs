using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>What the lanes of a node share.</summary>
internal sealed record LaneContext(
    MessagingOptions Options, TimeProvider Time, ServiceHandlers Handlers, MessagingMetrics Metrics, ILogger Logger);
