using System.ComponentModel.DataAnnotations;
using Geo.Consistency;
using Geo.Directory;
using Geo.Messaging;

namespace Geo.Embedded;

/// <summary>Settings of a silo in this process. Bound to the configuration section <c>Geo</c>, checked when the host starts.</summary>
public sealed class GeoEmbeddedOptions
{
    /// <summary>The name of the configuration section.</summary>
    public const string Section = "Geo";

    /// <summary>The name of this silo's cluster, unique within the multi-cluster. Required.</summary>
    [Required]
    public string ClusterId { get; set; } = "";

    /// <summary>
    /// Where other clusters reach this one, <c>host:port</c>; port 0 takes a free one. Null (the default) does not listen: links are then
    /// dialled from here only.
    /// </summary>
    public string? ListenOn { get; set; }

    /// <summary>Where clients reach this silo, <c>host:port</c>; port 0 takes a free one. Null (the default) for no clients outside.</summary>
    public string? Gateway { get; set; }

    /// <summary>
    /// The other clusters of the multi-cluster, by name, with the addresses at which each is entered. A cluster that dials in on its own
    /// may have no address here, but must be named.
    /// </summary>
    public Dictionary<string, List<string>> Clusters { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// Mutual TLS on every link, of other clusters and of clients, with the certificates given; null (the default) for plain connections, which may not leave the
    /// machine unless <see cref="AllowInsecure"/> is set. Both sides must agree. Checked at start, files included.
    /// </summary>
    public TlsOptions? Tls { get; set; }

    /// <summary>
    /// Lets links leave the machine without encryption and without checking who is there; false by default. Only for networks that are
    /// private to the application.
    /// </summary>
    public bool AllowInsecure { get; set; }

    /// <summary>How long a call waits for its answer; 30 s by default. Time-outs are noticed up to <see cref="TimeoutResolution"/> late.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How often overdue calls are looked for; 100 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan TimeoutResolution { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a grain without calls stays active; 15 min by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "365.00:00:00")]
    public TimeSpan IdleDeactivation { get; set; } = TimeSpan.FromMinutes(15);

    /// <summary>How long a grain may take to activate, state included, before its waiting calls fail; 30 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan ActivationTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a grain may take to deactivate, and the silo to stop serving; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan DeactivationTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Calls that may wait for one activation before more are refused with a <see cref="GeoUnavailableException"/>; 10,000 by default.</summary>
    [Range(1, int.MaxValue)]
    public int MaxQueuedRequests { get; set; } = 10_000;

    /// <summary>Activations that may exist at once before calls to further grains are refused; 1,000,000 by default.</summary>
    [Range(1, int.MaxValue)]
    public int MaxActivations { get; set; } = 1_000_000;

    /// <summary>
    /// Times that a call may look for its grain anew, because it had moved or ended, before it is refused; 8 by default.
    /// </summary>
    [Range(1, 100)]
    public int MaxRoutingAttempts { get; set; } = 8;

    /// <summary>Grains of a chain of calls that are remembered, to be named when it ends in a time-out; 16 by default.</summary>
    [Range(2, 256)]
    public int MaxCallChain { get; set; } = 16;

    /// <summary>How long turns of one activation may occupy a thread while others wait; 20 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.0001", "00:00:10")]
    public TimeSpan TurnQuantum { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Limits and waits of the directory of single-instance grains; checked at start like the settings above.</summary>
    [Required]
    public GlobalDirectoryOptions Directory { get; set; } = new();

    /// <summary>Limits and waits of the versions of persistent grains; checked at start like the settings above.</summary>
    [Required]
    public BatchedCasOptions BatchedCas { get; set; } = new();

    /// <summary>Limits and waits of the versions of volatile grains; checked at start like the settings above.</summary>
    [Required]
    public VersionedLeaderOptions VersionedLeader { get; set; } = new();

    /// <summary>Limits of the messages between a grain's instances in several clusters; checked at start like the settings above.</summary>
    [Required]
    public ReplicaExchangeOptions Replicas { get; set; } = new();
}
