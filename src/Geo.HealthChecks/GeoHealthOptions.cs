using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Geo.HealthChecks;

/// <summary>From when on something is worth telling. Checked when the host starts.</summary>
public sealed class GeoHealthOptions
{
    /// <summary>
    /// How long another cluster may be out of reach before the silo is Degraded; 10 s by default, in which a link is usually made anew.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan OutOfReach { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long a grain may be Doubtful, while all clusters are in reach, before the silo is Degraded; 10 min by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "365.00:00:00")]
    public TimeSpan DoubtfulAge { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>
    /// How long a cluster in reach may lack an update of a coordination-free grain before the silo is Degraded; 30 s by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "365.00:00:00")]
    public TimeSpan ReplicationLag { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How much of its duration the lease may have used up before the silo is Degraded; 0.7 by default, which is after one renewal that
    /// failed. A lease that has run out makes it Unhealthy.
    /// </summary>
    [Range(0.34, 1.0)]
    public double LeaseAge { get; set; } = 0.7;

    /// <summary>How long a store may take to answer before the silo is Degraded; 1 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:10:00")]
    public TimeSpan SlowStore { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long the check of the stores waits for one; 5 s by default. Longer than <see cref="SlowStore"/>.</summary>
    [Range(typeof(TimeSpan), "00:00:00.002", "00:10:00")]
    public TimeSpan StoreTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// What a store that does not answer makes of the silo; <see cref="HealthStatus.Degraded"/> by default, which keeps it in its load
    /// balancer: local reads and updates of versioned grains go on without their store, and one that all regions share would take all of
    /// them out at once. Unhealthy where another region with a store of its own is to take the callers.
    /// </summary>
    [EnumDataType(typeof(HealthStatus))]
    public HealthStatus UnansweringStore { get; set; } = HealthStatus.Degraded;

    /// <summary>How long before its end the silo's certificate makes it Degraded; 14 days by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "365.00:00:00")]
    public TimeSpan CertificateWarning { get; set; } = TimeSpan.FromDays(14);
}
