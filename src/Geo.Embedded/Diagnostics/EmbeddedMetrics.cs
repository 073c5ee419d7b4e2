using System.Diagnostics.Metrics;

namespace Geo.Embedded;

/// <summary>What the embedded host counts, under the meter "Geo.Embedded".</summary>
internal static class EmbeddedMetrics
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Geo.Embedded";

    private static readonly Meter Meter = new(MeterName);

    public static readonly Counter<long> Activated = Meter.CreateCounter<long>(
        "geo.grains.activated", "{grain}", "Grains that became active.");

    public static readonly Counter<long> Deactivated =
        Meter.CreateCounter<long>("geo.grains.deactivated", "{grain}", "Grains that were deactivated, by reason.");

    public static readonly Counter<long> Abandoned = Meter.CreateCounter<long>(
        "geo.grains.abandoned", "{grain}", "Grains that were ended while their code did not come to an end in its time.");

    public static readonly Counter<long> ActivationFailures =
        Meter.CreateCounter<long>("geo.grains.activation_failures", "{grain}", "Grains that could not be activated.");

    public static readonly Histogram<double> CallDuration = Meter.CreateHistogram<double>(
        "geo.calls.duration", "s",
        "How long calls took that were made in this silo or came from its clients, by grain class, region of the instance and outcome.");

    public static readonly Counter<long> LocalCalls =
        Meter.CreateCounter<long>("geo.calls.local", "{call}", "Calls taken by an activation of this silo.");

    public static readonly Counter<long> ReplicaCalls =
        Meter.CreateCounter<long>("geo.calls.read_replica", "{call}", "Calls taken by a read replica of this silo.");

    public static readonly Counter<long> ForwardedCalls =
        Meter.CreateCounter<long>("geo.calls.forwarded", "{call}", "Calls sent on to another cluster.");

    public static readonly Counter<long> InstancesGivenUp =
        Meter.CreateCounter<long>(
            "geo.grains.given_up", "{grain}", "Instances in clusters out of reach that this silo no longer waits for.");

    public static readonly Counter<long> RefusedCalls =
        Meter.CreateCounter<long>("geo.calls.refused", "{call}", "Calls ended before they reached their grain.");

    public static readonly Counter<long> QueueRejections =
        Meter.CreateCounter<long>("geo.calls.queue_rejections", "{call}", "Calls refused because too many waited for their grain.");

    public static readonly Counter<long> RunningRejections =
        Meter.CreateCounter<long>("geo.calls.running_rejections", "{call}", "Calls refused because their grain ran too many at a time.");

    public static readonly Counter<long> StateBoundsHit = Meter.CreateCounter<long>(
        "geo.states.bounds_hit", "{operation}", "Operations on stored states that their store did not end in time, by store.");

    public static readonly Counter<long> StateRefusals = Meter.CreateCounter<long>(
        "geo.states.refusals", "{operation}",
        "Operations on stored states that were not begun because too many of their store had not ended (MaxAbandonedOperations).");

    public static readonly Counter<long> ReroutedCalls =
        Meter.CreateCounter<long>("geo.calls.rerouted", "{call}", "Calls that looked for their grain anew because it had moved or ended.");
}
