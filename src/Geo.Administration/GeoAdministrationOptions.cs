using System.ComponentModel.DataAnnotations;

namespace Geo.Administration;

/// <summary>The admin endpoint of a silo. Checked when the host starts.</summary>
public sealed class GeoAdministrationOptions
{
    /// <summary>
    /// The address, as <c>host:port</c> with a numeric host; <c>127.0.0.1:7300</c> by default. Beyond loopback
    /// <see cref="CertificateFile"/> is needed. Port 0 takes a free one.
    /// </summary>
    [Required]
    public string ListenOn { get; set; } = "127.0.0.1:7300";

    /// <summary>
    /// The secret that a request has to bring, as <c>Authorization: Bearer</c>: 32 bytes of UTF-8 or more, without white space. There is
    /// no default. It allows all that the endpoint does, moving and releasing grains included.
    /// </summary>
    [Required]
    public string Key { get; set; } = "";

    /// <summary>A PEM file with the endpoint's certificate; null, the default, for no TLS.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>A PEM file with the certificate's private key; null where it is in <see cref="CertificateFile"/>.</summary>
    public string? CertificateKeyFile { get; set; }

    /// <summary>How often each other cluster is asked how it is; 5 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:10:00")]
    public TimeSpan AskInterval { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long another cluster, or a store, is waited for when somebody looks; 2 s by default. Longer than
    /// <see cref="HealthChecks.GeoHealthOptions.SlowStore"/>, or a store that is not yet slow would be one that does not answer.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:01:00")]
    public TimeSpan AnswerTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How far apart the clocks of two clusters may be, beyond half the round trip of the question, before it is a fault; 500 ms by
    /// default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "1.00:00:00")]
    public TimeSpan ClockSkew { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>How full a lane may be before it is a fault, from 0 to 1; 0.8 by default.</summary>
    [Range(0.01, 1.0)]
    public double LaneFill { get; set; } = 0.8;

    /// <summary>The most connections that the endpoint serves at a time; 32 by default.</summary>
    [Range(1, 10_000)]
    public int MaxConnections { get; set; } = 32;

    /// <summary>
    /// The most searches for a grain at a time, each of which asks all clusters: those of the endpoint and of the dashboard together; 16 by
    /// default. One more is refused.
    /// </summary>
    [Range(1, 10_000)]
    public int MaxSearches { get; set; } = 16;

    /// <summary>The most viewers of the dashboard at a time, each of whom holds a connection; 64 by default. One more is refused.</summary>
    [Range(1, 10_000)]
    public int MaxViewers { get; set; } = 64;
}
