using System.ComponentModel.DataAnnotations;
using Geo.Directory;
using Geo.Messaging;

namespace Geo.Orleans;

/// <summary>Settings of Geo on one silo. Bound to the configuration section <c>Geo</c>, checked when the silo starts.</summary>
public sealed class GeoOrleansOptions
{
    /// <summary>The name of the configuration section.</summary>
    public const string Section = "Geo";

    /// <summary>
    /// Geo's name of this silo's cluster, the same on all its silos and unique among the clusters: "eu". Required. It is not Orleans' own
    /// <c>ClusterOptions.ClusterId</c>, by which the silos of one cluster find each other, and which may be the same in all regions.
    /// </summary>
    [Required]
    public string ClusterId { get; set; } = "";

    /// <summary>
    /// Where other clusters reach this silo, <c>host:port</c>; port 0 takes a free one. Null (the default) does not listen: links are then
    /// dialled from here only.
    /// </summary>
    public string? ListenOn { get; set; }

    /// <summary>
    /// The other clusters of the multi-cluster, by name, with the addresses of some of their silos, <c>host:port</c>. A host that is a name
    /// stands for all addresses behind it. A cluster that dials in on its own may have no address here, but must be named. Addresses may
    /// change while the silo runs (<see cref="EntryPointRefresh"/>), the names of clusters not.
    /// </summary>
    public Dictionary<string, List<string>> Clusters { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// The name of a store in which the clusters change while silos run, the same in all clusters, which all of them reach
    /// (<see cref="IGeoConfiguration"/>). The first silo ever to start puts the clusters of its settings there; from then on
    /// <see cref="Clusters"/> only says where clusters are dialled that the configuration has no addresses of. Null (the default): the
    /// clusters are those of the settings. Where it is one that the clusters keep together by majority, the silo is linked before it reads
    /// it, and no store that must be shared can be over a grain storage, which starts later. It cannot be had together with volatile or
    /// coordination-free grain classes yet.
    /// </summary>
    public string? ConfigurationStore { get; set; }

    /// <summary>
    /// How often the addresses in <see cref="Clusters"/> are read, and names among them resolved, anew; every 30 seconds by default. A link
    /// that is up stays up.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "1.00:00:00")]
    public TimeSpan EntryPointRefresh { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a cluster must have been without any link to a silo before the silo gives up instances there and lets grains that are
    /// <see cref="SingleInstanceMode.Optimistic"/> activate here instead; 1 second by default, null for never. Until then, and always for
    /// pessimistic grains, calls to such an instance are refused. If that cluster was merely cut off, its instance goes on there, and the
    /// duplicate here is ended when the clusters hear from each other again (GEO section 3.1, optimistic activation).
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
    /// Mutual TLS on every link between clusters, with the certificates given; null (the default) for plain connections, which may not
    /// leave the machine unless <see cref="AllowInsecure"/> is set. Both sides must agree. Checked at start, files included.
    /// </summary>
    public TlsOptions? Tls { get; set; }

    /// <summary>
    /// Lets links leave the machine without encryption and without checking who is there; false by default. Only for networks that are
    /// private to the application.
    /// </summary>
    public bool AllowInsecure { get; set; }

    /// <summary>
    /// Lets clusters work together whose stores of one name are not one store; false by default. Only for demonstrations: what a grain
    /// keeps stays behind when it moves to another cluster. All clusters must say the same.
    /// </summary>
    public bool AllowUnsharedStores { get; set; }

    /// <summary>
    /// How long the start waits for the row store, and for each store that clusters share, to say which store it is; 10 seconds by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan StoreCheckTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the start waits for the first answer of each address in <see cref="Clusters"/>, so that clusters which are up and do not
    /// fit this one end it; 5 seconds by default. Addresses where nobody listens hold nothing up.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:10:00")]
    public TimeSpan StartLinkTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a call that is carried to another cluster waits for its answer; 30 seconds by default. A method's own
    /// <c>[ResponseTimeout]</c> goes first.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan CallTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How often one call may look for its grain anew, because it had moved or ended, before it is refused with a
    /// <see cref="GeoUnavailableException"/>; 8 by default.
    /// </summary>
    [Range(1, 100)]
    public int MaxRoutingAttempts { get; set; } = 8;

    /// <summary>
    /// How many grains in other clusters a silo or client remembers the cluster of; 100,000 by default. Beyond it all are forgotten at
    /// once and counted; each costs its next caller a look into the directory.
    /// </summary>
    [Range(1, 100_000_000)]
    public int MaxKnownRoutes { get; set; } = 100_000;

    /// <summary>
    /// How many calls carried here from other clusters may run at a time on this silo; 10,000 by default. Further ones are refused.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxCarriedCalls { get; set; } = 10_000;

    /// <summary>
    /// How many messages to other clusters this silo has under way for silos of its cluster that have no link of their own; 1,000 by
    /// default. Further ones are refused and counted.
    /// </summary>
    [Range(1, 1_000_000)]
    public int MaxRelayedMessages { get; set; } = RelayLimits.DefaultMessages;

    /// <summary>The most bytes that these messages have together, but for one alone; 64 MiB by default.</summary>
    [Range(1024, long.MaxValue)]
    public long MaxRelayedBytes { get; set; } = RelayLimits.DefaultBytes;

    /// <summary>
    /// The most bytes that the arguments and context of a call to another cluster may take, or its answer; 32 MiB by default. More is
    /// refused with a <see cref="GeoSerializationException"/>. The same in all clusters.
    /// </summary>
    [Range(1024, CallLimits.HighestMaxBytes)]
    public int MaxCallBytes { get; set; } = CallLimits.DefaultMaxBytes;

    /// <summary>How long a journaled grain that ends waits for its last events to be confirmed; 5 seconds by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:10:00")]
    public TimeSpan DeactivationConfirmTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a silo may serve single-instance grains without reaching the row store; 6 seconds by default. Grains of a dead silo are
    /// taken over a tenth more than this after the cluster has declared it dead, or 1.6 times this after its last renewal, whichever is
    /// first: a silo that stands still for so long, or alone loses the row store, while a sibling reaches it is fenced off and stops its
    /// host. The same on all silos of a cluster.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:10:00")]
    public TimeSpan LeaseDuration { get; set; } = TimeSpan.FromSeconds(6);
}
