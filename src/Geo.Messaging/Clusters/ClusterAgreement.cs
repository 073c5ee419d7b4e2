using System.Collections.Immutable;

namespace Geo.Messaging;

/// <summary>
/// Keeps clusters apart that cannot work together: one does not name the other, so that its rounds would not ask there; stores that must be
/// shared are not; a row store is. What is wrong is found in the handshake, before anything travels on the link.
/// </summary>
/// <param name="own">This node's cluster.</param>
/// <param name="clusters">
/// The clusters that it names; null where they are those of a configuration store, which both have or the directory answers nobody.
/// </param>
internal sealed class ClusterAgreement(ClusterId own, IReadOnlyCollection<ClusterId>? clusters) : IPeerFacts
{
    /// <summary>What this node tells of its stores; nothing before they were asked.</summary>
    public StoreFacts Stores { get; private set; } = StoreFacts.None;

    /// <inheritdoc/>
    public ReadOnlyMemory<byte> Own => Stores.ToBytes();

    /// <summary>Asks the stores which ones they are; before the node starts.</summary>
    /// <param name="rows">The store of the directory's rows; null where no other cluster can use it.</param>
    /// <param name="shared">The stores whose values grains of several clusters use, by name.</param>
    /// <param name="configuration">The configuration store; null where the clusters are those of the settings.</param>
    /// <param name="allowUnshared">True when they need not be the same in all clusters: for demonstrations.</param>
    /// <param name="time">The clock of the time-out.</param>
    /// <param name="timeout">How long a store may take.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">A store does not answer in time.</exception>
    /// <exception cref="GeoConfigurationException">A store has something else where its identity should be.</exception>
    public async Task AskAsync(
        IConditionalStore? rows, IReadOnlyDictionary<string, IConditionalStore> shared, IConditionalStore? configuration,
        bool allowUnshared, TimeProvider time, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(shared);
        Guid? rowsIdentity = rows is null ? null : await IdentifyAsync("the store of the directory's rows", rows);
        var identities = ImmutableSortedDictionary.CreateBuilder<string, Guid>(StringComparer.Ordinal);
        foreach (var (name, store) in shared)
        {
            identities[name] = allowUnshared ? Guid.Empty : await IdentifyAsync($"the store '{name}'", store);
        }

        Stores = new(rowsIdentity, identities.ToImmutable())
        {
            Configuration = configuration is null ? null : await IdentifyAsync("the configuration store", configuration),
        };

        async Task<Guid> IdentifyAsync(string what, IConditionalStore store)
        {
            try
            {
                // One that the clusters keep together is not there before they are linked.
                return store is IClusterStore kept ? kept.Identity
                    : await StoreIdentity.EnsureAsync(store, Guid.NewGuid(), time, timeout, cancellationToken);
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

    /// <inheritdoc/>
    public string? Refuse(PeerId peer, ClusterId cluster, ReadOnlySpan<byte> facts) =>
        cluster == own ? null
        : clusters?.Contains(cluster) == false
            ? $"cluster '{own}' does not name cluster '{cluster}' in its settings ({string.Join(", ", clusters.Order())}), so that"
            + $" a grain could get an owner in both; name it in Clusters on all silos of '{own}', or take '{own}' out of the settings of "
            + $"'{cluster}'"
        : Stores.ConflictWith(own, cluster, StoreFacts.Read(facts));
}
