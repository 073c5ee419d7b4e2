using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>
/// The replica of this silo's coordination-free grains: those classes that derive from <see cref="LatticeGrain{TLattice}"/>.
/// </summary>
internal sealed class GeoLattices(
    IOptions<GrainTypeOptions> types, GrainTypeResolver names, GeoSiloBuilder builder, OrleansMembership membership,
    OrleansSiblings siblings, GeoStores stores, TimeProvider time, ILogger<LatticeExchange> logger,
    IOptions<SiloMessagingOptions> messaging) : IDisposable
{
    private LatticeExchange? _exchange;

    /// <summary>The replica, from the start of Geo on.</summary>
    public LatticeExchange Exchange => _exchange
        ?? throw new InvalidOperationException("Geo is not started on this silo yet; grains can be called once the silo is active.");

    /// <summary>The lattice of a grain class; null for one that is not coordination-free.</summary>
    public static Type? LatticeOf(Type grainClass)
    {
        for (var type = grainClass; type is not null; type = type.BaseType)
        {
            if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(LatticeGrain<>))
            {
                return type.GetGenericArguments()[0];
            }
        }

        return null;
    }

    /// <summary>Starts the replica, where there is a class for it.</summary>
    public void Start(IClusterMessenger messenger, Func<IReadOnlyList<ClusterId>> clusters)
    {
        var classes = types.Value.Classes.Where(c => !c.IsAbstract && !c.ContainsGenericParameters && LatticeOf(c) is not null)
            .Select(c => (Class: LatticeClass.Of(LatticeOf(c)!, names.GetGrainType(c).ToString()!), Store: StoreOf(c)))
            .OrderBy(c => c.Class.Name, StringComparer.Ordinal)
            .ToList();
        if (classes.Count > 0)
        {
            _exchange = new LatticeExchange(
                messenger, clusters, time, Random.Shared, logger, builder.Lattices,
                new LatticeSiblings(membership, siblings, messenger.LocalCluster));
            classes.ForEach(c => _exchange.Add(c.Class, c.Store));
            _exchange.Start();
        }
    }

    /// <summary>Sends what other clusters have not acknowledged, and ends.</summary>
    public async Task LeaveAsync(CancellationToken cancellationToken)
    {
        if (_exchange is null)
        {
            return;
        }

        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(builder.Lattices.MaxRetryAfter);
        try
        {
            await _exchange.LeaveAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            // No other cluster acknowledges, or no store; what both lack is lost, as is documented.
        }
    }

    /// <summary>Takes and sends no more messages.</summary>
    public void Dispose() => _exchange?.Dispose();

    private IConditionalStore? StoreOf(Type grainClass) =>
        GrainDeclaration.Of(grainClass, versioned: false) is { UsesStore: true } declaration ? stores.Named(declaration.Storage) : null;

    /// <summary>Begins a wait of a grain: as long as the call that waits.</summary>
    public JournalWait BeginWait(IGrainContext grain) => new(grain.GetComponent<JournalWaits>(), messaging.Value.ResponseTimeout, time);
}
