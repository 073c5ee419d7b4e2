using System.Diagnostics.Metrics;

namespace Geo.Consistency;

/// <summary>The counters of coordination-free grains, of the meter "Geo.Consistency".</summary>
internal static class LatticeMetrics
{
    internal static readonly Counter<long> Updates =
        Count("geo.lattices.updates", "{update}", "Updates made here.");

    internal static readonly Counter<long> Merges =
        Count("geo.lattices.merges", "{merge}", "States and deltas of other replicas merged here.");

    internal static readonly Counter<long> BytesSent =
        Count("geo.lattices.bytes_sent", "By", "Bytes handed over for sending to other replicas, by cluster.");

    internal static readonly Counter<long> MessagesUnsent =
        Count(
            "geo.lattices.messages_unsent", "{message}", "Messages not sent: no link or a full queue. They are sent again.");

    internal static readonly Counter<long> Pulls =
        Count("geo.lattices.pulls", "{pull}", "Times that another replica was asked for all that was lacking here.");

    internal static readonly Counter<long> Collected =
        Count("geo.lattices.collected", "{grain}", "Empty grains forgotten, because all replicas had seen them.");

    internal static readonly Counter<long> Quarantined = Count(
        "geo.lattices.quarantined", "{update}", "Updates of other replicas that could not be read or merged, and were put aside.");

    internal static readonly Counter<long> Ahead = Count(
        "geo.lattices.ahead", "{state}", "States and deltas merged whose stamps are of a clock too far ahead (MaxClockAhead).");

    internal static readonly Counter<long> Dropped = Count(
        "geo.lattices.dropped", "{message}", "Messages dropped because as many bytes wait as may (MaxHeldBytes). They are sent again.");

    internal static readonly Histogram<int> FrameBytes = ConsistencyMetrics.Meter.CreateHistogram<int>(
        "geo.lattices.frame_bytes", "By", "The size of the message that carries an epoch's merged updates to another replica.");

    internal static readonly Counter<long> Saves = Count("geo.lattices.saves", "{write}", "States written to their stores.");

    internal static readonly Counter<long> SavesFailed = Count(
        "geo.lattices.saves_failed", "{write}", "Writes of states that the store did not answer or refused. They are tried again.");

    internal static readonly Counter<long> SaveConflicts = Count(
        "geo.lattices.save_conflicts", "{write}", "Writes of states that met another silo's, and were merged with it.");

    internal static readonly Counter<long> Loaded = Count("geo.lattices.loaded", "{grain}", "Stored states read at start.");

    private static Counter<long> Count(string name, string unit, string description) =>
        ConsistencyMetrics.Meter.CreateCounter<long>(name, unit, description);
}
