using System.ComponentModel.DataAnnotations;
using Geo.Messaging;
using Microsoft.Extensions.Options;

namespace Geo.Embedded;

/// <summary>
/// Settings of a client outside the silos. Bound to the configuration section <c>GeoClient</c>, checked when the client starts.
/// </summary>
public sealed class GeoClientOptions
{
    /// <summary>The name of the configuration section.</summary>
    public const string Section = "GeoClient";

    /// <summary>
    /// The gateways, <c>host:port</c>, in order of preference. The client uses the first that is connected and changes when that link is
    /// lost. At least one.
    /// </summary>
    [Required]
    [MinLength(1)]
    public IList<string> Gateways { get; } = [];

    /// <summary>
    /// Mutual TLS on every link to a gateway, with the certificates given; null (the default) for plain connections, which may not leave
    /// the machine unless <see cref="AllowInsecure"/> is set. Both sides must agree. Checked at start, files included.
    /// </summary>
    [ValidateObjectMembers]
    public TlsOptions? Tls { get; set; }

    /// <summary>
    /// Lets links leave the machine without encryption and without checking who is there; false by default. Only for networks that are
    /// private to the application.
    /// </summary>
    public bool AllowInsecure { get; set; }

    /// <summary>How long a call waits for its answer; 30 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How often overdue calls are looked for, and so how late a time-out may be; 100 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan TimeoutResolution { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// How long a call made while no gateway is connected waits for one before it fails with a <see cref="GeoUnavailableException"/>; 2 s
    /// by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "01:00:00")]
    public TimeSpan ConnectionWait { get; set; } = TimeSpan.FromSeconds(2);
}
