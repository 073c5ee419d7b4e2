using System.Diagnostics.Metrics;

namespace Geo.Consistency;

/// <summary>The counters of the meter "Geo.Consistency".</summary>
internal static class ConsistencyMetrics
{
    internal static readonly Meter Meter = new("Geo.Consistency");

    internal static readonly Counter<long> StorageReads =
        Meter.CreateCounter<long>("geo.views.storage_reads", "{read}", "Reads of stored versions.");

    internal static readonly Counter<long> StorageWrites =
        Meter.CreateCounter<long>("geo.views.storage_writes", "{write}", "Conditional writes of versions, whatever their outcome.");

    internal static readonly Histogram<int> UpdatesPerWrite =
        Meter.CreateHistogram<int>(
            "geo.views.updates_per_write", "{update}", "Updates carried by one conditional write or one batch to a leader.");

    internal static readonly Counter<long> Conflicts =
        Meter.CreateCounter<long>("geo.views.conflicts", "{write}", "Conditional writes that met a newer version.");

    internal static readonly Counter<long> UnknownOutcomes =
        Meter.CreateCounter<long>(
            "geo.views.unknown_outcomes", "{operation}", "Storage operations and leader requests whose outcome is not known.");

    internal static readonly Counter<long> NotificationsSent =
        Meter.CreateCounter<long>(
            "geo.views.notifications_sent", "{message}", "Notifications handed over for sending, counted per receiver.");

    internal static readonly Counter<long> NotificationsUnsent =
        Meter.CreateCounter<long>("geo.views.notifications_unsent", "{message}", "Notifications not sent: no link or a full queue.");

    internal static readonly Counter<long> NotificationsIgnored =
        Meter.CreateCounter<long>("geo.views.notifications_ignored", "{message}", "Notifications with nothing newer than what was known.");

    internal static readonly Counter<long> NotificationsDropped =
        Meter.CreateCounter<long>("geo.views.notifications_dropped", "{message}", "Notifications for grains that are not active here.");

    internal static readonly Counter<long> NotificationsReplaced =
        Meter.CreateCounter<long>(
            "geo.views.notifications_replaced", "{message}", "Waiting notifications replaced by a newer one of the same cluster.");

    internal static readonly Counter<long> DigestsFull = Meter.CreateCounter<long>(
        "geo.views.digests_full", "{version}", "Versions that are told once, because the digest held as many as it may (MaxDigested).");

    internal static readonly Counter<long> OperationsAbandoned = Meter.CreateCounter<long>(
        "geo.views.operations_abandoned", "{operation}",
        "Storage operations that were left to themselves: the store had not ended them in time.");

    internal static readonly Counter<long> UpdatesQuarantined = Meter.CreateCounter<long>(
        "geo.views.updates_quarantined", "{update}", "Updates taken out of the queue because the state that they make cannot be written.");

    internal static readonly Counter<long> UpdatesHandedIn = Meter.CreateCounter<long>(
        "geo.views.updates_handed_in", "{update}", "Updates handed in to an instance of another cluster, each time that they were.");

    internal static readonly Counter<long> UpdatesWrittenForOthers = Meter.CreateCounter<long>(
        "geo.views.updates_written_for_others", "{update}",
        "Updates in conditional writes that instances of other clusters had handed in.");

    internal static readonly Counter<long> WaitsRefused =
        Meter.CreateCounter<long>(
            "geo.views.waits_refused", "{wait}", "Confirms and refreshes refused because too many were waiting (MaxWaiters).");

    internal static readonly Counter<long> WaitsGivenUp =
        Meter.CreateCounter<long>("geo.views.waits_given_up", "{wait}", "Confirms and refreshes whose callers gave up waiting.");

    internal static readonly Counter<long> MemoriesDropped =
        Meter.CreateCounter<long>(
            "geo.views.memories_dropped", "{memory}", "Memories of volatile grains that were not active, dropped for room (MaxParked).");

    internal static readonly Counter<long> ViewsReplaced = Meter.CreateCounter<long>(
        "geo.views.replaced", "{view}", "Views that were given up by their host, disposed of when the next one of their grain began.");

    internal static readonly Counter<long> RequestsRefused =
        Meter.CreateCounter<long>("geo.views.requests_refused", "{message}", "Requests refused because too many were waiting.");

    internal static readonly Counter<long> ReadReplicaPolls = Meter.CreateCounter<long>(
        "geo.views.read_replica_polls", "{request}", "Questions of read replicas to the instances of their grains.");

    internal static readonly Counter<long> ReadReplicaMisses = Meter.CreateCounter<long>(
        "geo.views.read_replica_misses", "{call}",
        "Calls that a read replica could not answer within its bound, or with what was asked for.");
}
