using System.ComponentModel.DataAnnotations;
using Geo.Consistency;
using Geo.Consistency.Lattices;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.Options;

namespace Geo.Embedded;

/// <summary>Settings of a silo in this process. Bound to the configuration section <c>Geo</c>, checked when the host starts.</summary>
public sealed class GeoEmbeddedOptions
{
    /// <summary>The name of the configuration section.</summary>
    public const string Section = "Geo";

    /// <summary>Geo's name of this silo's cluster, unique among the clusters: "eu". Required.</summary>
    [Required]
    public string ClusterId { get; set; } = "";

    /// <summary>
    /// Where other clusters reach this one, <c>host:port</c>; port 0 takes a free one. Null (the default) does not listen: links are then
    /// dialled from here only.
    /// </summary>
    public string? ListenOn { get; set; }

    /// <summary>
    /// Where clients reach this silo, <c>host:port</c>; port 0 takes a free one. Null (the default) for no clients outside.
    /// </summary>
    public string? Gateway { get; set; }

    /// <summary>
    /// The other clusters of the multi-cluster, by name, with the addresses at which each is entered. A cluster that dials in on its own
    /// may have no address here, but must be named.
    /// </summary>
    public Dictionary<string, List<string>> Clusters { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// The name of a store in which the clusters change while silos run, the same in all clusters, which all of them reach
    /// (<see cref="IGeoConfiguration"/>). The first silo ever to start puts the clusters of its settings there; from then on
    /// <see cref="Clusters"/> only says where clusters are dialled that the configuration has no addresses of. Null (the default): the
    /// clusters are those of the settings. It cannot be had together with volatile or coordination-free grain classes yet.
    /// </summary>
    public string? ConfigurationStore { get; set; }

    /// <summary>
    /// How long a cluster must have been without any link to this silo before the silo gives up instances there and lets grains that are
    /// <see cref="SingleInstanceMode.Optimistic"/> activate here instead; 1 second by default, null for never. Until then, and always
    /// for pessimistic grains, calls to such an instance are refused. If that cluster was merely cut off, its instance goes on there, and
    /// the duplicate here is ended when the clusters hear from each other again (GEO section 3.1, optimistic activation).
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan? UnreachableAfter { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// A link to another cluster over which nothing arrived for so long is dead, and calls under way on it end as unknown; 3 seconds by
    /// default. It is probed six times within that time.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.500", "00:10:00")]
    public TimeSpan DeadLinkAfter { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>
    /// Mutual TLS on every link, of other clusters and of clients, with the certificates given; null (the default) for plain connections,
    /// which may not leave the machine unless <see cref="AllowInsecure"/> is set. Both sides must agree. Checked at start, files included.
    /// </summary>
    [ValidateObjectMembers]
    public TlsOptions? Tls { get; set; }

    /// <summary>
    /// Lets links leave the machine without encryption and without checking who is there; false by default. Only for networks that are
    /// private to the application.
    /// </summary>
    public bool AllowInsecure { get; set; }

    /// <summary>
    /// Lets clusters work together whose stores of one name are not one store; false by default. Only for demonstrations: the state of a
    /// single-instance grain stays behind when the grain moves to another cluster. All clusters must say the same.
    /// </summary>
    public bool AllowUnsharedStores { get; set; }

    /// <summary>How long the start waits for a store that other clusters share to say which store it is; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan StoreCheckTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the start waits for the first answer of each address in <see cref="Clusters"/>, so that clusters which are up and do not
    /// fit this one end it; 5 s by default. Addresses where nobody listens hold nothing up.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:10:00")]
    public TimeSpan StartLinkTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a call waits for its answer, and a grain for an operation of its stored state; 30 s by default. Time-outs of calls are
    /// noticed up to <see cref="TimeoutResolution"/> late.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How often overdue calls are looked for; 100 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan TimeoutResolution { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a grain without calls stays active; 15 min by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "365.00:00:00")]
    public TimeSpan IdleDeactivation { get; set; } = TimeSpan.FromMinutes(15);

    /// <summary>
    /// How long a grain may take to activate, state included, before its waiting calls fail and the instance is given up, whatever its code
    /// does; 30 s by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan ActivationTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a grain may take to deactivate, the calls that run included, and the silo to stop serving; 10 s by default. An instance
    /// that takes longer is given up and counted: what its code does from then on is answered as of unknown outcome and reaches no store.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan DeactivationTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Calls that may wait for one activation before more are refused with a <see cref="GeoUnavailableException"/>; 10,000 by default.
    /// </summary>
    [Range(1, int.MaxValue)]
    public int MaxQueuedRequests { get; set; } = 10_000;

    /// <summary>
    /// Calls that one activation may run at a time, where they interleave, before more are refused with a
    /// <see cref="GeoUnavailableException"/> and counted; 10,000 by default. A call whose caller gave up runs until its method ends.
    /// </summary>
    [Range(1, int.MaxValue)]
    public int MaxRunningRequests { get; set; } = 10_000;

    /// <summary>
    /// How many operations on stored states may be left to themselves in each store because it did not end them within
    /// <see cref="RequestTimeout"/>; 1000 by default. While so many have not ended no further one is begun.
    /// </summary>
    [Range(1, 1_000_000)]
    public int MaxAbandonedOperations { get; set; } = 1000;

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
    [Required, ValidateObjectMembers]
    public GlobalDirectoryOptions Directory { get; set; } = new();

    /// <summary>The ownership of single-instance grains of the mode Quorum; checked at start like the settings above.</summary>
    [Required, ValidateObjectMembers]
    public QuorumDirectoryOptions Quorum { get; set; } = new();

    /// <summary>Limits and waits of the versions of persistent grains; checked at start like the settings above.</summary>
    [Required, ValidateObjectMembers]
    public BatchedCasOptions BatchedCas { get; set; } = new();

    /// <summary>Limits and waits of the versions of volatile grains; checked at start like the settings above.</summary>
    [Required, ValidateObjectMembers]
    public VersionedLeaderOptions VersionedLeader { get; set; } = new();

    /// <summary>Limits of the messages between a grain's instances in several clusters; checked at start like the settings above.</summary>
    [Required, ValidateObjectMembers]
    public ReplicaExchangeOptions Replicas { get; set; } = new();

    /// <summary>Limits and times of coordination-free grains; checked at start like the settings above.</summary>
    [Required, ValidateObjectMembers]
    public LatticeOptions Lattices { get; set; } = new();

    /// <summary>Limits of the copies that are read of other clusters' grains; checked at start like the settings above.</summary>
    [Required, ValidateObjectMembers]
    public ReadReplicaOptions ReadReplicas { get; set; } = new();
}
