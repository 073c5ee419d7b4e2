using System.Globalization;
using Geo.Directory;
using Microsoft.Extensions.Options;
using Orleans.Concurrency;
using Orleans.EventSourcing;
using Orleans.Metadata;
using Orleans.Placement;
using Orleans.Providers;

namespace Geo.Orleans;

/// <summary>
/// Turns the attributes of Geo.Abstractions into properties of the grain type, which Orleans spreads to all silos and clients: the named
/// directory for single-instance grains, and what callers need to know. Classes without the attributes are left as they are.
/// </summary>
/// <param name="replicas">Learns which classes have read replicas.</param>
/// <param name="options">Tells the configured clusters.</param>
/// <param name="builder">Tells those of them that are to have no replicas any more.</param>
/// <param name="services">What Orleans' own attributes may ask for.</param>
internal sealed class GlobalSingleProperties(
    ReadReplicaClasses replicas, IOptions<GeoOrleansOptions> options, GeoSiloBuilder builder, IServiceProvider services)
    : IGrainPropertiesProvider
{
    /// <summary>
    /// The property that says what a single-instance grain does while a cluster does not answer; absent on all other grains.
    /// </summary>
    public const string ModeProperty = "geo.single-instance-mode";

    /// <summary>
    /// The property that says where a single-instance grain lives: the name of a cluster, or <see cref="WithCallers"/>; absent where that
    /// is its first caller's, and on all other grains.
    /// </summary>
    public const string HomeProperty = "geo.home";

    /// <summary>The value of <see cref="HomeProperty"/> of grains that follow their callers: no name that a cluster can have.</summary>
    public const string WithCallers = "*";

    /// <summary>The property of grains that have an instance in each cluster; absent on all other grains.</summary>
    public const string ReplicatedProperty = "geo.instance-in-each-cluster";

    /// <summary>The property that says when updates of volatile grains with an instance in each cluster are confirmed.</summary>
    public const string ConfirmationProperty = "geo.update-confirmation";

    /// <summary>
    /// The property that says in how many clusters coordination-free grains have replicas; absent on those that have them in all, and on
    /// all other grains.
    /// </summary>
    public const string ReplicasProperty = "geo.replicas";

    /// <summary>The property of the same grains that names the local cluster first, and then the other configured ones.</summary>
    public const string ClustersProperty = "geo.clusters";

    /// <summary>The property of the same grains that names those of the clusters that are to have none; absent where none is.</summary>
    public const string LeavingProperty = "geo.clusters.leaving";

    public void Populate(Type grainClass, GrainType grainType, Dictionary<string, string> properties)
    {
        var declaration = GrainDeclaration.Of(grainClass, IsVersioned(grainClass));
        LiveClasses.Check(grainClass, declaration, options.Value.ConfigurationStore);
        HomeClasses.Check(
            grainClass, declaration, options.Value.Clusters.Keys.Append(options.Value.ClusterId), options.Value.ConfigurationStore);
        if (declaration.Instancing != Instancing.ClusterLocal && grainClass.IsDefined(typeof(StatelessWorkerAttribute), inherit: true))
        {
            throw new GeoConfigurationException(
                $"Grain class {grainClass.FullName} is a [StatelessWorker], of which each silo has several instances, and names how many "
                + "instances there are across clusters; keep one of the two.");
        }

        if (GeoLattices.LatticeOf(grainClass) is null == (declaration.Protocol == ViewProtocol.CoordinationFree))
        {
            throw new GeoConfigurationException(
                $"Grain class {grainClass.FullName} must either have [CoordinationFree] and derive from LatticeGrain, or from "
                + "JournaledGrain with a LatticeState, or do neither.");
        }

        if (declaration.PerSilo > 1)
        {
            // One property of a type says where its activations are.
            if (grainClass.IsDefined(typeof(PlacementAttribute), inherit: true))
            {
                throw new GeoConfigurationException(
                    $"Grain class {grainClass.FullName} has PerSilo = {declaration.PerSilo}, so that every silo that is called serves it, "
                    + "and an attribute that says where Orleans places it; keep one of the two.");
            }

            new StatelessWorkerAttribute(declaration.PerSilo).Populate(services, grainClass, grainType, properties);
        }

        var ownsVersions = declaration.Instancing == Instancing.OnePerCluster || declaration.UsesStore;
        if (ownsVersions && grainClass.IsDefined(typeof(LogConsistencyProviderAttribute), inherit: true))
        {
            throw new GeoConfigurationException(
                $"Grain class {grainClass.FullName} names a log-consistency provider of Orleans and a protocol of Geo; keep one of the "
                + "two.");
        }

        if (IsVersioned(grainClass))
        {
            JournalReaders.Populate(grainClass, properties);
        }

        if (declaration.ReadReplica is { } replica)
        {
            replicas.Add(grainType, grainClass, replica);
        }

        if (declaration.Instancing == Instancing.GlobalSingle)
        {
            properties[WellKnownGrainTypeProperties.GrainDirectory] = GeoGrainDirectory.Name;
            properties[ModeProperty] = declaration.Mode.ToString();
            if (declaration.Home is { } home)
            {
                properties[HomeProperty] = home.Policy == HomePolicy.FollowsCallers ? WithCallers : home.Cluster.Name;
            }
        }
        else if (declaration.Instancing == Instancing.OnePerCluster)
        {
            properties[ReplicatedProperty] = bool.TrueString;
        }

        if (declaration.Protocol == ViewProtocol.VersionedLeader)
        {
            properties[ConfirmationProperty] = declaration.Confirmation.ToString();
        }

        if (declaration.Replicas > 0)
        {
            var local = options.Value.ClusterId;
            properties[ReplicasProperty] = declaration.Replicas.ToString(CultureInfo.InvariantCulture);
            properties[ClustersProperty] = string.Join(
                ',', options.Value.Clusters.Keys.Where(name => name != local).Order(StringComparer.Ordinal).Prepend(local));
            if (builder.Lattices.LeavingClusters.Count > 0)
            {
                properties[LeavingProperty] = string.Join(',', builder.Lattices.LeavingClusters);
            }
        }
    }

    public static bool IsVersioned(Type grainClass)
    {
        for (var type = grainClass; type is not null; type = type.BaseType)
        {
            if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(JournaledGrain<,>))
            {
                return true;
            }
        }

        return false;
    }
}
