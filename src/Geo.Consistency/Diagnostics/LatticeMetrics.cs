using System.Diagnostics.Metrics;

namespace Geo.Consistency;

/// <summary>The counters of coordination-free grains, of the meter "Geo.Consistency".</summary>
internal static class LatticeMetrics
{
    private static readonly Meter Meter = new("Geo.Consistency");

    internal static readonly Counter<long> Updates =
        Meter.CreateCounter<long>("geo.lattices.updates", "{update}", "Updates made here.");

    internal static readonly Counter<long> Merges =
        Meter.CreateCounter<long>("geo.lattices.merges", "{merge}", "States and deltas of other replicas merged here.");

    internal static readonly Counter<long> BytesSent =
        Meter.CreateCounter<long>("geo.lattices.bytes_sent", "By", "Bytes handed over for sending to other replicas, by kind of message.");

    internal static readonly Counter<long> MessagesUnsent =
        Meter.CreateCounter<long>("geo.lattices.messages_unsent", "{message}", "Messages not sent: no link or a full queue. They are sent again.");

    internal static readonly Counter<long> Pulls =
        Meter.CreateCounter<long>("geo.lattices.pulls", "{pull}", "Times that another replica was asked for all that was lacking here.");

    internal static readonly Counter<long> Collected =
        Meter.CreateCounter<long>("geo.lattices.collected", "{grain}", "Empty grains forgotten, because all replicas had seen them.");

    internal static readonly Counter<long> Quarantined = Meter.CreateCounter<long>(
        "geo.lattices.quarantined", "{update}", "Updates of other replicas that could not be read or merged, and were put aside.");

    internal static readonly Counter<long> Held = Meter.CreateCounter<long>(
        "geo.lattices.held", "{message}", "Messages not taken because their sender's clock is too far ahead (MaxClockAhead).");

    internal static readonly Histogram<double> Lag = Meter.CreateHistogram<double>(
        "geo.lattices.acknowledged_after", "s", "How long after the end of their epoch another cluster acknowledged updates, by cluster.");
}
