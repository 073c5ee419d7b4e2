using System.Diagnostics.Metrics;

namespace Geo.Orleans;

/// <summary>What the binding counts, under the meter <c>Geo.Orleans</c>.</summary>
internal static class OrleansMetrics
{
    private static readonly Meter Meter = new("Geo.Orleans");

    /// <summary>Calls carried to other clusters.</summary>
    public static readonly Counter<long> CallsCarried = Meter.CreateCounter<long>("geo.orleans.calls_carried");

    /// <summary>How long calls carried to other clusters took, by grain class, region and outcome.</summary>
    public static readonly Histogram<double> CarriedDuration = Meter.CreateHistogram<double>("geo.orleans.carried_duration", "s");

    /// <summary>Calls answered by a read replica of this silo.</summary>
    public static readonly Counter<long> ReplicaCalls = Meter.CreateCounter<long>("geo.orleans.calls_read_replica");

    /// <summary>Carried calls that this silo refused because too many were running.</summary>
    public static readonly Counter<long> CallsRefused = Meter.CreateCounter<long>("geo.orleans.calls_refused");

    /// <summary>Remembered clusters of grains that were forgotten because there were too many.</summary>
    public static readonly Counter<long> RoutesForgotten = Meter.CreateCounter<long>("geo.orleans.routes_forgotten");

    /// <summary>Instances in clusters out of reach that this silo no longer waits for.</summary>
    public static readonly Counter<long> InstancesGivenUp = Meter.CreateCounter<long>("geo.orleans.instances_given_up");

    /// <summary>Operations of grain storages, and of the stores under shared ones, that did not end in time, by storage.</summary>
    public static readonly Counter<long> StorageBoundsHit = Meter.CreateCounter<long>("geo.orleans.storage_bounds_hit");

    /// <summary>The same, that were not begun because too many had not ended (MaxAbandonedOperations).</summary>
    public static readonly Counter<long> StorageRefusals = Meter.CreateCounter<long>("geo.orleans.storage_refusals");
}
