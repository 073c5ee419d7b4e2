using System.Collections.Immutable;

namespace Geo;

/// <summary>The stores of a silo that are compared with those of others before they work together.</summary>
internal sealed record ComparedStores
{
    /// <summary>The store of the directory's rows; null where no other cluster can use it.</summary>
    public IConditionalStore? Rows { get; init; }

    /// <summary>The stores whose values grains of several clusters use, by name.</summary>
    public IReadOnlyDictionary<string, IConditionalStore> Shared { get; init; } = new Dictionary<string, IConditionalStore>();

    /// <summary>True when those need not be the same in all clusters: for demonstrations.</summary>
    public bool AllowUnshared { get; init; }

    /// <summary>The configuration store; null where the clusters are those of the settings.</summary>
    public IConditionalStore? Configuration { get; init; }

    /// <summary>
    /// The store in which a majority keeps the owners of single-instance grains; null where no class has the mode. It is compared always.
    /// </summary>
    public IConditionalStore? Owners { get; init; }

    /// <summary>The names of the single-instance classes; true where a majority decides whose a grain is.</summary>
    public IReadOnlyDictionary<string, bool> SingleInstances { get; init; } = new Dictionary<string, bool>();

    /// <summary>The names of the coordination-free classes; true where some clusters only have replicas.</summary>
    public IReadOnlyDictionary<string, bool> CoordinationFree { get; init; } = new Dictionary<string, bool>();

    /// <summary>The names of the volatile classes with an instance in each cluster, and when their updates are confirmed.</summary>
    public IReadOnlyDictionary<string, UpdateConfirmation> Confirmations { get; init; } = new Dictionary<string, UpdateConfirmation>();

    /// <summary>Asks the stores which ones they are; before the silo is linked with others.</summary>
    /// <returns>What the silo tells of them.</returns>
    /// <exception cref="GeoUnavailableException">A store does not answer in time.</exception>
    /// <exception cref="GeoConfigurationException">A store has something else where its identity should be.</exception>
    public async Task<StoreFacts> IdentifyAsync(
        TimeProvider time, Random random, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        var rows = await IdentifyAsync("the store of the directory's rows", Rows);
        var identities = ImmutableSortedDictionary.CreateBuilder<string, Guid>(StringComparer.Ordinal);
        foreach (var (name, store) in Shared)
        {
            identities[name] = AllowUnshared ? Guid.Empty : (await IdentifyAsync($"the store '{name}'", store))!.Value;
        }

        var owners = await IdentifyAsync("the store of who owns grains by majority", Owners);
        return new(rows, identities.ToImmutable())
        {
            Configuration = await IdentifyAsync("the configuration store", Configuration),
            Ownership = new(owners, ClassFacts<bool>.Of(SingleInstances)),
            Lattices = new(ClassFacts<bool>.Of(CoordinationFree)),
            Confirmations = new(ClassFacts<UpdateConfirmation>.Of(Confirmations)),
        };

        Guid NewIdentity()
        {
            Span<byte> bytes = stackalloc byte[16];
            random.NextBytes(bytes);
            return new Guid(bytes);
        }

        async Task<Guid?> IdentifyAsync(string what, IConditionalStore? store)
        {
            try
            {
                // One that the clusters keep together is not there before they are linked.
                return store is null ? null : store is IClusterStore kept ? kept.Identity
                    : await StoreIdentity.EnsureAsync(store, NewIdentity(), time, timeout, cancellationToken);
            }
            catch (GeoUnavailableException e)
            {
                throw new GeoUnavailableException(
                    $"The silo cannot start beside other clusters, for {what} cannot be told from theirs: {e.Message}", e);
            }
            catch (GeoConfigurationException e)
            {
                throw new GeoConfigurationException($"The silo cannot start with {what}: {e.Message}", e);
            }
        }
    }
}
