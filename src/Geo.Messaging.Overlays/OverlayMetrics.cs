using System.Diagnostics.Metrics;

namespace Geo.Messaging.Overlays;

/// <summary>
/// The instruments of a peer of an overlay, under the meter <c>Geo.Messaging.Overlays</c>: what <see cref="OverlayNode.Counts"/> says,
/// and how many it knows.
/// </summary>
internal sealed class OverlayMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Geo.Messaging.Overlays";

    private readonly Meter _meter = new(MeterName);
    private readonly KeyValuePair<string, object?>[] _node;

    public OverlayMetrics(OverlayNode node, string overlay)
    {
        _node = [new("geo.peer", node.Peer.Name), new("geo.overlay", overlay)];
        _meter.CreateObservableGauge(
            "geo.overlay.members", () => Of(node.Members.Count), "{peer}", "Members known at the peer, itself included.");
        _meter.CreateObservableGauge(
            "geo.overlay.neighbours", () => Of(node.Neighbours.Count), "{peer}", "Members with a link to the peer.");
        _meter.CreateObservableCounter(
            "geo.overlay.dropped", () => Dropped(node.Counts), "{message}", "Frames and messages dropped, by reason.");
        _meter.CreateObservableCounter(
            "geo.overlay.sent", () => Sent(node.Counts.Broadcasts), "{frame}", "Frames of broadcasts sent to neighbours, by kind.");
        _meter.CreateObservableCounter(
            "geo.overlay.delivered", () => Of(node.Counts.Broadcasts.Delivered), "{message}", "Broadcasts delivered to the application.");
        _meter.CreateObservableCounter(
            "geo.overlay.duplicates", () => Of(node.Counts.Broadcasts.Duplicates), "{message}",
            "Broadcasts that had come before: the tree's redundancy.");
    }

    public void Dispose() => _meter.Dispose();

    private Measurement<long>[] Dropped(OverlayCounts counts) =>
    [
        Of(counts.NotSent, "geo.reason", "not-sent"),
        Of(counts.NotLinked, "geo.reason", "not-linked"),
        Of(counts.Malformed, "geo.reason", "malformed"),
        Of(counts.TooMany, "geo.reason", "too-many"),
        Of(counts.Unrouted, "geo.reason", "unrouted"),
        Of(counts.Undeliverable, "geo.reason", "undeliverable"),
        Of(counts.Overtaken, "geo.reason", "overtaken"),
        Of(counts.TooEarly, "geo.reason", "too-early"),
        Of(counts.Broadcasts.Lost, "geo.reason", "lost"),
    ];

    private Measurement<long>[] Sent(PlumtreeCounts counts) =>
    [
        Of(counts.PayloadsSent, "geo.frame", "payload"),
        Of(counts.Announcements, "geo.frame", "announcement"),
        Of(counts.Grafts, "geo.frame", "graft"),
        Of(counts.Prunes, "geo.frame", "prune"),
        Of(counts.Shortened, "geo.frame", "join"),
    ];

    private Measurement<long> Of(long value) => new(value, _node);

    private Measurement<long> Of(long value, string tag, string name) => new(value, [.. _node, new(tag, name)]);
}
