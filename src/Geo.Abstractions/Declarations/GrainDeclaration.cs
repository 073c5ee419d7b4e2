using System.Reflection;

namespace Geo;

/// <summary>What the attributes of a grain class ask for, with the protocols of GEO's Table 1 picked.</summary>
/// <param name="Instancing">How many instances exist across clusters.</param>
/// <param name="Mode">What a single-instance grain does while a cluster does not answer.</param>
/// <param name="Protocol">The protocol of the versioned view.</param>
/// <param name="Storage">The name of the conditional store where <see cref="UsesStore"/>; null for the default.</param>
/// <param name="Leader">The leader named for <see cref="ViewProtocol.VersionedLeader"/>; none to choose by rendezvous hash.</param>
public sealed record GrainDeclaration(
    Instancing Instancing, SingleInstanceMode Mode, ViewProtocol Protocol, string? Storage, ClusterId Leader)
{
    /// <summary>When updates of <see cref="ViewProtocol.VersionedLeader"/> are confirmed.</summary>
    public UpdateConfirmation Confirmation { get; init; }

    /// <summary>The attribute of a protocol that is none of Geo's; null for Geo's.</summary>
    public ViewProtocolAttribute? OwnProtocol { get; init; }

    /// <summary>The copies that other clusters read; null for none.</summary>
    public ReadReplicaDeclaration? ReadReplica { get; init; }

    /// <summary>The level of <see cref="ViewProtocol.CoordinationFree"/>.</summary>
    public ConsistencyLevel Level { get; init; }

    /// <summary>In how many clusters confirmed updates of <see cref="ViewProtocol.CoordinationFree"/> are known.</summary>
    public int ConfirmIn { get; init; } = 2;

    /// <summary>In how many clusters a grain of <see cref="ViewProtocol.CoordinationFree"/> has a replica; 0 for all.</summary>
    public int Replicas { get; init; }

    /// <summary>How many activations of a grain of <see cref="ViewProtocol.CoordinationFree"/> a silo may have.</summary>
    public int PerSilo { get; init; } = 1;

    /// <summary>Where the instance lives; null for the cluster of its first caller.</summary>
    internal HomeDeclaration? Home { get; init; }

    /// <summary>
    /// True where the versions, or the states of a coordination-free class, live in the conditional store
    /// <see cref="Storage"/>.
    /// </summary>
    public bool UsesStore => Protocol == ViewProtocol.BatchedCas || OwnProtocol is { UsesStore: true }
        || (Protocol == ViewProtocol.CoordinationFree && Storage is not null);

    /// <summary>True for a single-instance class whose owners the clusters keep by majority.</summary>
    internal bool IsOwnedByQuorum => Instancing == Instancing.GlobalSingle && Mode == SingleInstanceMode.Quorum;

    /// <summary>Reads and checks the attributes of a grain class.</summary>
    /// <param name="grainClass">The class that carries the attributes.</param>
    /// <param name="versioned">True when the class uses the versioned API (<c>JournaledGrain</c>).</param>
    /// <exception cref="GeoConfigurationException">The attributes contradict each other or do not fit the API.</exception>
    public static GrainDeclaration Of(Type grainClass, bool versioned)
    {
        ArgumentNullException.ThrowIfNull(grainClass);
        var single = grainClass.GetCustomAttribute<GlobalSingleInstanceAttribute>();
        var multi = grainClass.GetCustomAttribute<OneInstancePerClusterAttribute>();
        var protocols = grainClass.GetCustomAttributes<ViewProtocolAttribute>().OrderBy(NameOf, StringComparer.Ordinal).ToList();
        var named = protocols.FirstOrDefault();
        var free = grainClass.GetCustomAttribute<CoordinationFreeAttribute>();
        var isFree = free is not null;
        var leader = named as VersionedLeaderAttribute;
        var replica = grainClass.GetCustomAttribute<ReadReplicaAttribute>();
        var home = grainClass.GetCustomAttribute<HomeAttribute>();

        Refuse(single is not null && multi is not null,
            "has both [GlobalSingleInstance] and [OneInstancePerCluster]; keep one");
        Refuse(isFree && (single is not null || multi is not null || named is not null),
            "has [CoordinationFree], which goes with no other protocol and no number of instances; remove the attribute, or what "
            + "contradicts it");
        Refuse(free is { Storage: not null, Level: >= ConsistencyLevel.MonotonicReads and <= ConsistencyLevel.Causal },
            $"has a store and level {free?.Level}; states are stored one by one, so that a silo which starts with them would show updates "
            + "without those that they follow; remove one of the two");
        Refuse(free?.Replicas < 0, $"has Replicas = {free?.Replicas}; name how many clusters are to have a replica, or 0 for all");
        Refuse(free?.PerSilo < 1, $"has PerSilo = {free?.PerSilo}; name how many activations of a grain a silo may have, 1 for one");
        Refuse(free is { Replicas: > 0, Level: not ConsistencyLevel.SimpleEventual },
            $"has Replicas = {free?.Replicas} and level {free?.Level}; sessions read and write the replicas of their own silo, which may "
            + "have none of the grain; remove one of the two");
        Refuse(protocols.Count > 1, $"has both {string.Join(" and ", protocols.Select(NameOf))}; keep one");
        Refuse(!versioned && named is not null,
            "names a consistency protocol but is not a JournaledGrain; derive from JournaledGrain or remove the attribute");
        Refuse(!versioned && multi is not null,
            "has [OneInstancePerCluster] but is not a JournaledGrain, so nothing would keep its instances consistent; "
            + "derive from JournaledGrain or use [GlobalSingleInstance]");
        Refuse(leader is not null && multi is null,
            "has [VersionedLeader], which orders the updates of several instances, but not [OneInstancePerCluster]; add it");

        Refuse(replica is not null && (single is null || !versioned),
            "has [ReadReplica], which is for the copies of a JournaledGrain with [GlobalSingleInstance]; add that, or remove the "
            + "attribute: an instance in each cluster is read as it is, and ReadVersion with ViewRead.NoOlderThan bounds its age");

        Refuse(home is not null && single is null,
            "has [Home], which says where the one instance of a [GlobalSingleInstance] class lives; add that, or remove the attribute");

        var instancing = single is not null ? Instancing.GlobalSingle
            : multi is not null ? Instancing.OnePerCluster
            : Instancing.ClusterLocal;
        var protocol = isFree ? ViewProtocol.CoordinationFree
            : !versioned ? ViewProtocol.None
            : named is BatchedCasAttribute ? ViewProtocol.BatchedCas
            : named is not null and not VersionedLeaderAttribute ? ViewProtocol.Own
            : instancing == Instancing.OnePerCluster ? ViewProtocol.VersionedLeader
            : ViewProtocol.Local;
        return new GrainDeclaration(
            instancing,
            single?.Mode ?? SingleInstanceMode.Optimistic,
            protocol,
            free is not null ? free.Storage : named?.StoreName,
            leader?.Leader is { } name ? ParseLeader(name) : default)
        {
            Level = free?.Level ?? default,
            ConfirmIn = free?.ConfirmIn ?? 2,
            Replicas = free?.Replicas ?? 0,
            PerSilo = free?.PerSilo ?? 1,
            Confirmation = leader?.Confirmation ?? UpdateConfirmation.Default,
            OwnProtocol = protocol == ViewProtocol.Own ? named : null,
            ReadReplica = replica is null ? null : ReadReplicaDeclaration.Of(replica, grainClass),
            Home = home is null ? null : HomeDeclaration.Of(home, grainClass),
        };

        static string NameOf(ViewProtocolAttribute protocol) =>
            $"[{protocol.GetType().Name.Replace("Attribute", null, StringComparison.Ordinal)}]";

        void Refuse(bool contradiction, string what)
        {
            if (contradiction)
            {
                throw new GeoConfigurationException($"Grain class {grainClass.FullName} {what}.");
            }
        }

        ClusterId ParseLeader(string name)
        {
            try
            {
                return new ClusterId(name);
            }
            catch (ArgumentException e)
            {
                throw new GeoConfigurationException($"Grain class {grainClass.FullName} names a leader that cannot be: {e.Message}", e);
            }
        }
    }
}
