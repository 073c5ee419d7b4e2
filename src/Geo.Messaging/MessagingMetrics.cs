using System.Diagnostics.Metrics;

namespace Geo.Messaging;

/// <summary>The instruments of a node, under the meter <c>Geo.Messaging</c>; every measurement carries the local and the remote peer.</summary>
internal sealed class MessagingMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Geo.Messaging";

    private readonly Meter _meter = new(MeterName);
    private readonly KeyValuePair<string, object?> _local;
    private readonly Counter<long> _sent;
    private readonly Counter<long> _sentBytes;
    private readonly Counter<long> _dropped;
    private readonly Counter<long> _reconnects;
    private readonly Histogram<double> _roundTrip;

    public MessagingMetrics(PeerId local, Func<IEnumerable<Lane>> lanes)
    {
        _local = new("geo.peer", local.Name);
        _sent = _meter.CreateCounter<long>("geo.messaging.sent", "{message}", "Frames handed to the network.");
        _sentBytes = _meter.CreateCounter<long>("geo.messaging.sent_bytes", "By", "Bytes handed to the network.");
        _dropped = _meter.CreateCounter<long>("geo.messaging.dropped", "{message}", "Messages certainly not delivered, by reason.");
        _reconnects = _meter.CreateCounter<long>("geo.messaging.dials", "{attempt}", "Attempts to dial an address, by outcome.");
        _roundTrip = _meter.CreateHistogram<double>("geo.messaging.round_trip", "s", "Round trip of a probe, queues included.");
        _meter.CreateObservableUpDownCounter(
            "geo.messaging.queued_bytes",
            () => lanes().Select(lane => new Measurement<long>(lane.QueuedBytes, _local, Remote(lane.Remote.Peer))),
            "By",
            "Bytes that wait to be sent.");
    }

    public void Sent(int messages, List<ArraySegment<byte>> batch, PeerId to)
    {
        if (_sent.Enabled || _sentBytes.Enabled)
        {
            _sent.Add(messages, _local, Remote(to));
            _sentBytes.Add(batch.Sum(segment => segment.Count), _local, Remote(to));
        }
    }

    public void Dropped(string reason, PeerId to, int messages = 1)
    {
        if (messages > 0 && _dropped.Enabled)
        {
            _dropped.Add(messages, _local, Remote(to), new("geo.reason", reason));
        }
    }

    public void Dropped(string reason, ClusterId to)
    {
        if (_dropped.Enabled)
        {
            _dropped.Add(1, _local, new("geo.remote_cluster", to.Name), new("geo.reason", reason));
        }
    }

    public void Dialled(string outcome, PeerAddress address)
    {
        if (_reconnects.Enabled)
        {
            _reconnects.Add(1, _local, new("geo.address", address.ToString()), new("geo.outcome", outcome));
        }
    }

    public void RoundTrip(TimeSpan time, PeerId to)
    {
        if (_roundTrip.Enabled)
        {
            _roundTrip.Record(time.TotalSeconds, _local, Remote(to));
        }
    }

    public void Dispose() => _meter.Dispose();

    private static KeyValuePair<string, object?> Remote(PeerId peer) => new("geo.remote", peer.Name);
}
