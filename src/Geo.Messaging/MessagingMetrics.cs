using System.Diagnostics.Metrics;

namespace Geo.Messaging;

/// <summary>
/// The instruments of a node, under the meter <c>Geo.Messaging</c>; measurements carry the local and the remote peer, the remote's cluster,
/// the channel and the lane.
/// </summary>
internal sealed class MessagingMetrics : IDisposable
{
    public const string MeterName = "Geo.Messaging";

    private readonly Meter _meter = new(MeterName);
    private readonly MessagingTags _tags;
    private readonly Counter<long> _sent;
    private readonly Counter<long> _sentBytes;
    private readonly Counter<long> _received;
    private readonly Counter<long> _receivedBytes;
    private readonly Counter<long> _handled;
    private readonly Histogram<double> _handlerDuration;
    private readonly Counter<long> _dropped;
    private readonly Counter<long> _handshakes;
    private readonly Counter<long> _dials;
    private readonly Counter<long> _refusals;
    private readonly Counter<long> _cutOff;
    private readonly Counter<long> _reconnects;
    private readonly Histogram<double> _roundTrip;

    public MessagingMetrics(
        PeerId local, Func<IEnumerable<PeerLink>> links, Func<IEnumerable<ClusterId>> clusters, NodeBudgets budgets)
    {
        _tags = new MessagingTags(local);
        _sent = _meter.CreateCounter<long>("geo.messaging.sent", "{message}", "Frames handed to the network.");
        _sentBytes = _meter.CreateCounter<long>("geo.messaging.sent_bytes", "By", "Bytes handed to the network.");
        _received = _meter.CreateCounter<long>("geo.messaging.received", "{message}", "Frames taken from the network.");
        _receivedBytes = _meter.CreateCounter<long>("geo.messaging.received_bytes", "By", "Bytes taken from the network.");
        _handled = _meter.CreateCounter<long>("geo.messaging.handled", "{message}", "Messages whose handlers have ended, by outcome.");
        _handlerDuration = _meter.CreateHistogram<double>(
            "geo.messaging.handler_duration", "s", "From a handler's start until its task has ended, by outcome.");
        _handshakes = _meter.CreateCounter<long>(
            "geo.messaging.handshakes", "{handshake}", "Handshakes of accepted connections, by outcome.");
        _dropped = _meter.CreateCounter<long>("geo.messaging.dropped", "{message}", "Messages certainly not delivered, by reason.");
        _dials = _meter.CreateCounter<long>("geo.messaging.dials", "{attempt}", "Attempts to dial an address, by outcome.");
        _refusals = _meter.CreateCounter<long>("geo.messaging.refusals", "{handshake}", "Handshakes that one side refused, by reason.");
        _cutOff = _meter.CreateCounter<long>(
            "geo.messaging.cut_off", "{connection}", "Connections closed because of what the remote did, by reason.");
        _reconnects = _meter.CreateCounter<long>("geo.messaging.reconnects", "{link}", "Links made anew by this node where one had ended.");
        _roundTrip = _meter.CreateHistogram<double>("geo.messaging.round_trip", "s", "Round trip of a probe, queues included.");
        MessagingGauges.AddTo(_meter, _tags, links, clusters, budgets);
    }

    public void Sent(int messages, long bytes, PeerIdentity to, LaneId lane)
    {
        if (_sent.Enabled || _sentBytes.Enabled)
        {
            var tags = _tags.Of(to, lane);
            _sent.Add(messages, tags);
            _sentBytes.Add(bytes, tags);
        }
    }

    /// <summary>What one receive brought, and its pieces.</summary>
    public void Received(int messages, long bytes, PeerIdentity from, LaneId lane)
    {
        if (_received.Enabled || _receivedBytes.Enabled)
        {
            var tags = _tags.Of(from, lane);
            _received.Add(messages, tags);
            _receivedBytes.Add(bytes, tags);
        }
    }

    /// <summary>True when somebody wants to know how long handlers take.</summary>
    public bool TimesHandlers => _handlerDuration.Enabled;

    /// <summary>A handler has ended.</summary>
    /// <param name="service">Its service.</param>
    /// <param name="outcome">How: <c>done</c>, <c>failed</c> or <c>given-up</c>.</param>
    /// <param name="duration">How long it took; null when that was not asked for at its start.</param>
    /// <param name="from">Whose message it was.</param>
    /// <param name="lane">How it came.</param>
    public void Handled(string service, string outcome, TimeSpan? duration, PeerIdentity from, LaneId lane)
    {
        if (_handled.Enabled || duration is not null)
        {
            var tags = _tags.Of(from);
            tags.Add(MessagingTags.Channel(lane));
            tags.Add("geo.service", service);
            tags.Add("geo.outcome", outcome);
            _handled.Add(1, tags);
            if (duration is { } time)
            {
                _handlerDuration.Record(time.TotalSeconds, tags);
            }
        }
    }

    /// <summary>The handshake of an accepted connection has ended.</summary>
    /// <param name="outcome">How: <c>accepted</c>, <c>refused</c>, which <c>refusals</c> tells the reasons of, or <c>broken</c>.</param>
    public void ShookHands(string outcome) => _handshakes.Add(1, _tags.Local, new("geo.outcome", outcome));

    public void Dropped(string reason, PeerIdentity to, LaneId lane, int messages = 1)
    {
        if (messages > 0 && _dropped.Enabled)
        {
            var tags = _tags.Of(to, lane);
            tags.Add(MessagingTags.Reason(reason));
            _dropped.Add(messages, tags);
        }
    }

    /// <summary>A message that found no lane.</summary>
    public void Unreachable(KeyValuePair<string, object?> to)
    {
        if (_dropped.Enabled)
        {
            _dropped.Add(1, _tags.Local, to, MessagingTags.Reason(nameof(SendOutcome.NotConnected)));
        }
    }

    public void Dialled(string outcome, PeerAddress address) =>
        _dials.Add(1, _tags.Local, new("geo.address", address.ToString()), new("geo.outcome", outcome));

    public void Refused(RefusalReason reason) => _refusals.Add(1, _tags.Local, MessagingTags.Reason(reason.ToString()));

    /// <summary>A connection was closed because of what the remote did, or did not do.</summary>
    public void CutOff(string reason) => _cutOff.Add(1, _tags.Local, MessagingTags.Reason(reason));

    public void Reconnected(PeerIdentity to, PeerAddress address)
    {
        var tags = _tags.Of(to);
        tags.Add("geo.address", address.ToString());
        _reconnects.Add(1, tags);
    }

    public void RoundTrip(TimeSpan time, PeerIdentity to, LaneId lane)
    {
        if (_roundTrip.Enabled)
        {
            _roundTrip.Record(time.TotalSeconds, _tags.Of(to, lane));
        }
    }

    public void Dispose() => _meter.Dispose();
}
