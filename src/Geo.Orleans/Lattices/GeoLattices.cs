using Geo.Consistency;
using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.EventSourcing;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>
/// The replicas of this silo's coordination-free grains: those classes that derive from <see cref="LatticeGrain{TLattice}"/>.
/// </summary>
internal sealed class GeoLattices(
    IOptions<GrainTypeOptions> types, GrainTypeResolver names, GeoSiloBuilder builder, OrleansMembership membership,
    OrleansSiblings siblings, SiloStores stores, TimeProvider time, ILogger<LatticeExchange> logger,
    IOptions<SiloMessagingOptions> messaging) : ILatticeSessions, IDisposable
{
    private LatticeReplicas? _replicas;

    /// <summary>The replicas, from the start of Geo on.</summary>
    public LatticeReplicas Replicas => _replicas
        ?? throw new InvalidOperationException("Geo is not started on this silo yet; grains can be called once the silo is active.");

    /// <summary>The same; null where there is no class for it.</summary>
    public LatticeReplicas? Running => _replicas;

    /// <summary>The lattice of a grain class; null for one that is not coordination-free.</summary>
    public static Type? LatticeOf(Type grainClass)
    {
        for (var type = grainClass; type is not null; type = type.BaseType)
        {
            var definition = type.IsGenericType ? type.GetGenericTypeDefinition() : null;
            if (definition == typeof(LatticeGrain<>))
            {
                return type.GetGenericArguments()[0];
            }

            if (definition == typeof(JournaledGrain<,>))
            {
                return ILatticeState.LatticeOf(type.GetGenericArguments()[0]);
            }
        }

        return null;
    }

    /// <summary>The coordination-free classes among grain classes.</summary>
    public static IEnumerable<Type> ClassesAmong(IEnumerable<Type> classes) =>
        classes.Where(c => !c.IsAbstract && !c.ContainsGenericParameters && LatticeOf(c) is not null);

    /// <summary>What the attributes of a coordination-free class ask for.</summary>
    public static GrainDeclaration DeclarationOf(Type grainClass) => GrainDeclaration.Of(grainClass, versioned: false);

    /// <inheritdoc/>
    public ILatticeSession Open(
        ConsistencyLevel level, SessionToken? continues = null, SessionMiss onMiss = SessionMiss.Wait, TimeSpan? wait = null) =>
        ((ILatticeSessions)Replicas).Open(level, continues, onMiss, wait);

    /// <summary>Opens a session of a level, by default that of a grain class.</summary>
    public ILatticeSession Open(Type grainClass, ConsistencyLevel? level, SessionToken continues) =>
        Open(level ?? DeclarationOf(grainClass).Level, continues);

    /// <summary>Starts the replicas, where there is a class for it.</summary>
    public void Start(IClusterMessenger messenger, Func<IReadOnlyList<ClusterId>> clusters)
    {
        var classes = ClassesAmong(types.Value.Classes)
            .Select(c => (Class: LatticeClass.Of(LatticeOf(c)!, names.GetGrainType(c).ToString()!, DeclarationOf(c)), Store: StoreOf(c)))
            .ToList();
        if (classes.Count > 0)
        {
            _replicas = new LatticeReplicas(classes, new(messenger.LocalCluster, clusters, builder.Lattices.LeavingClusters), group => new(
                messenger, clusters, time, Random.Shared, logger, builder.Lattices,
                new LatticeSiblings(membership, siblings, messenger.LocalCluster, group), group));
            _replicas.Start();
        }
    }

    /// <summary>Sends what other clusters have not acknowledged, and ends.</summary>
    public async Task LeaveAsync(CancellationToken cancellationToken)
    {
        if (_replicas is null)
        {
            return;
        }

        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(builder.Lattices.MaxRetryAfter);
        try
        {
            await _replicas.LeaveAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            // No other cluster acknowledges, or no store; what both lack is lost, as is documented.
        }
    }

    /// <summary>Takes and sends no more messages.</summary>
    public void Dispose() => _replicas?.Dispose();

    private IConditionalStore? StoreOf(Type grainClass) =>
        DeclarationOf(grainClass) is { UsesStore: true } declaration ? stores.Named(declaration.Storage) : null;

    /// <summary>Begins a wait of a grain: as long as the call that waits.</summary>
    public JournalWait BeginWait(IGrainContext grain) => new(grain.GetComponent<JournalWaits>(), messaging.Value.ResponseTimeout, time);
}
