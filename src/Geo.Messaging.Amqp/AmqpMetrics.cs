using System.Diagnostics.Metrics;

namespace Geo.Messaging.Amqp;

/// <summary>
/// The instruments of a transport, under the meter <c>Geo.Messaging.Amqp</c>: what <see cref="AmqpOverlayTransport.Counts"/> says.
/// </summary>
internal sealed class AmqpMetrics : IDisposable
{
    private readonly Meter _meter = new("Geo.Messaging.Amqp");
    private readonly KeyValuePair<string, object?> _local;

    public AmqpMetrics(AmqpOverlayTransport transport, Func<long> queuedBytes)
    {
        _local = new("geo.peer", transport.Peer.Name);
        _meter.CreateObservableUpDownCounter(
            "geo.amqp.queued_bytes", () => new Measurement<long>(queuedBytes(), _local), "By", "Bytes that wait to be sent to the broker.");
        _meter.CreateObservableCounter(
            "geo.amqp.published", () => Published(transport.Counts), "{message}", "Messages sent to the broker, by outcome.");
        _meter.CreateObservableCounter("geo.amqp.dropped", () => Dropped(transport.Counts), "{message}", "Messages dropped, by reason.");
        _meter.CreateObservableCounter(
            "geo.amqp.connections", () => new Measurement<long>(transport.Counts.Connections, _local), "{connection}",
            "Times that the broker was reached.");
    }

    public void Dispose() => _meter.Dispose();

    private Measurement<long>[] Published(AmqpCounts counts) =>
    [
        Of(counts.Confirmed, "geo.outcome", "confirmed"),
        Of(counts.Refused, "geo.outcome", "refused"),
        Of(counts.Unknown, "geo.outcome", "unknown"),
    ];

    private Measurement<long>[] Dropped(AmqpCounts counts) =>
    [
        Of(counts.Dropped, "geo.reason", "broker-lost"),
        Of(counts.Full, "geo.reason", "full"),
        Of(counts.Malformed, "geo.reason", "malformed"),
        Of(counts.TooManyPeers, "geo.reason", "too-many-peers"),
    ];

    private Measurement<long> Of(long value, string tag, string name) => new(value, _local, new(tag, name));
}
