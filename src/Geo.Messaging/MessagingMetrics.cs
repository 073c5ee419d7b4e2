using System.Diagnostics.Metrics;

namespace Geo.Messaging;

/// <summary>
/// The instruments of a node, under the meter <c>Geo.Messaging</c>; measurements carry the local and the remote peer, the remote's cluster,
/// the channel and the lane.
/// </summary>
internal sealed class MessagingMetrics(Meter meter, MessagingTags tags) : IDisposable
{
    public const string MeterName = "Geo.Messaging";

    private readonly Counter<long> _sent = meter.CreateCounter<long>("geo.messaging.sent", "{message}", "Frames handed to the network.");
    private readonly Counter<long> _sentBytes = meter.CreateCounter<long>("geo.messaging.sent_bytes", "By", "Bytes handed to the network.");
    private readonly Counter<long> _received =
        meter.CreateCounter<long>("geo.messaging.received", "{message}", "Frames taken from the network.");
    private readonly Counter<long> _receivedBytes =
        meter.CreateCounter<long>("geo.messaging.received_bytes", "By", "Bytes taken from the network.");
    private readonly Counter<long> _handled =
        meter.CreateCounter<long>("geo.messaging.handled", "{message}", "Messages whose handlers have ended, by outcome.");
    private readonly Histogram<double> _handlerDuration = meter.CreateHistogram<double>(
        "geo.messaging.handler_duration", "s", "From a handler's start until its task has ended, by outcome.");
    private readonly Counter<long> _handshakes =
        meter.CreateCounter<long>("geo.messaging.handshakes", "{handshake}", "Handshakes of accepted connections, by outcome.");
    private readonly Counter<long> _dropped =
        meter.CreateCounter<long>("geo.messaging.dropped", "{message}", "Messages certainly not delivered, by reason.");
    private readonly Counter<long> _dials =
        meter.CreateCounter<long>("geo.messaging.dials", "{attempt}", "Attempts to dial an address, by outcome.");
    private readonly Counter<long> _refusals =
        meter.CreateCounter<long>("geo.messaging.refusals", "{handshake}", "Handshakes that one side refused, by reason.");
    private readonly Counter<long> _cutOff = meter.CreateCounter<long>(
        "geo.messaging.cut_off", "{connection}", "Connections closed because of what the remote did, by reason.");
    private readonly Counter<long> _reconnects =
        meter.CreateCounter<long>("geo.messaging.reconnects", "{link}", "Links made anew by this node where one had ended.");
    private readonly Histogram<double> _roundTrip =
        meter.CreateHistogram<double>("geo.messaging.round_trip", "s", "Round trip of a probe, queues included.");

    public static MessagingMetrics Of(
        PeerId local, Func<IEnumerable<PeerLink>> links, Func<IEnumerable<ClusterId>> clusters, PeerAccounts accounts)
    {
        var (meter, tags) = (new Meter(MeterName), new MessagingTags(local));
        var metrics = new MessagingMetrics(meter, tags);
        MessagingGauges.AddTo(meter, tags, links, clusters, accounts);
        return metrics;
    }

    public void Sent(int messages, long bytes, PeerIdentity to, LaneId lane)
    {
        if (_sent.Enabled || _sentBytes.Enabled)
        {
            var all = tags.Of(to, lane);
            _sent.Add(messages, all);
            _sentBytes.Add(bytes, all);
        }
    }

    /// <summary>What one receive brought, and its pieces.</summary>
    public void Received(int messages, long bytes, PeerIdentity from, LaneId lane)
    {
        if (_received.Enabled || _receivedBytes.Enabled)
        {
            var all = tags.Of(from, lane);
            _received.Add(messages, all);
            _receivedBytes.Add(bytes, all);
        }
    }

    /// <summary>True when somebody wants to know how long handlers take.</summary>
    public bool TimesHandlers => _handlerDuration.Enabled;

    /// <summary>A handler has ended: <c>done</c>, <c>failed</c> or <c>given-up</c>.</summary>
    public void Handled(string service, string outcome, TimeSpan? duration, PeerIdentity from, LaneId lane)
    {
        if (_handled.Enabled || duration is not null)
        {
            var all = tags.Of(from);
            all.Add(MessagingTags.Channel(lane));
            all.Add("geo.service", service);
            all.Add("geo.outcome", outcome);
            _handled.Add(1, all);
            if (duration is { } time)
            {
                _handlerDuration.Record(time.TotalSeconds, all);
            }
        }
    }

    /// <summary>The handshake of an accepted connection has ended.</summary>
    /// <param name="outcome">How: <c>accepted</c>, <c>refused</c>, which <c>refusals</c> tells the reasons of, or <c>broken</c>.</param>
    public void ShookHands(string outcome) => _handshakes.Add(1, tags.Local, new("geo.outcome", outcome));

    public void Dropped(string reason, PeerIdentity to, LaneId lane, int messages = 1)
    {
        if (messages > 0 && _dropped.Enabled)
        {
            var all = tags.Of(to, lane);
            all.Add(MessagingTags.Reason(reason));
            _dropped.Add(messages, all);
        }
    }

    public void Unreachable(KeyValuePair<string, object?> to)
    {
        if (_dropped.Enabled)
        {
            _dropped.Add(1, tags.Local, to, MessagingTags.Reason(nameof(SendOutcome.NotConnected)));
        }
    }

    public void Dialled(string outcome, PeerAddress address) =>
        _dials.Add(1, tags.Local, new("geo.address", address.ToString()), new("geo.outcome", outcome));

    public void Refused(RefusalReason reason) => _refusals.Add(1, tags.Local, MessagingTags.Reason(reason.ToString()));

    /// <summary>A connection was closed because of what the remote did, or did not do.</summary>
    public void CutOff(string reason) => _cutOff.Add(1, tags.Local, MessagingTags.Reason(reason));

    public void Reconnected(PeerIdentity to, PeerAddress address)
    {
        var all = tags.Of(to);
        all.Add("geo.address", address.ToString());
        _reconnects.Add(1, all);
    }

    public void RoundTrip(TimeSpan time, PeerIdentity to, LaneId lane)
    {
        if (_roundTrip.Enabled)
        {
            _roundTrip.Record(time.TotalSeconds, tags.Of(to, lane));
        }
    }

    public void Dispose() => meter.Dispose();
}
