using System.ComponentModel.DataAnnotations;

namespace Geo.Orleans;

/// <summary>
/// Settings of Geo on an Orleans client. Bound to the configuration section <c>GeoClient</c>, checked when the client starts.
/// </summary>
public sealed class GeoClientOptions
{
    /// <summary>The name of the configuration section.</summary>
    public const string Section = "GeoClient";

    /// <summary>
    /// How often one call may look for its grain anew, because it had moved or ended, before it is refused; 8 by default.
    /// </summary>
    [Range(1, 100)]
    public int MaxRoutingAttempts { get; set; } = 8;

    /// <summary>
    /// How many grains in other clusters the client remembers the cluster of; 100,000 by default. Beyond it all are forgotten at once and
    /// counted.
    /// </summary>
    [Range(1, 100_000_000)]
    public int MaxKnownRoutes { get; set; } = 100_000;

    /// <summary>
    /// The most bytes that the arguments and context of a call to another cluster may take; 32 MiB by default. More is refused with a
    /// <see cref="GeoSerializationException"/>. At most what the clusters allow.
    /// </summary>
    [Range(1024, CallLimits.HighestMaxBytes)]
    public int MaxCallBytes { get; set; } = CallLimits.DefaultMaxBytes;
}
