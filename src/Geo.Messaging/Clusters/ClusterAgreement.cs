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
    /// <param name="stores">The stores, and what is decided in them.</param>
    /// <param name="time">The clock of the time-out.</param>
    /// <param name="timeout">How long a store may take.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">A store does not answer in time.</exception>
    /// <exception cref="GeoConfigurationException">A store has something else where its identity should be.</exception>
    public async Task AskAsync(
        ComparedStores stores, TimeProvider time, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(stores);
        var rows = await IdentifyAsync("the store of the directory's rows", stores.Rows);
        var identities = ImmutableSortedDictionary.CreateBuilder<string, Guid>(StringComparer.Ordinal);
        foreach (var (name, store) in stores.Shared)
        {
            identities[name] = stores.AllowUnshared ? Guid.Empty : (await IdentifyAsync($"the store '{name}'", store))!.Value;
        }

        var owners = await IdentifyAsync("the store of who owns grains by majority", stores.Owners);
        Stores = new(rows, identities.ToImmutable())
        {
            Configuration = await IdentifyAsync("the configuration store", stores.Configuration),
            Ownership = new(owners, ClassFacts<bool>.Of(stores.SingleInstances)),
            Lattices = new(ClassFacts<bool>.Of(stores.CoordinationFree)),
            Confirmations = new(ClassFacts<UpdateConfirmation>.Of(stores.Confirmations)),
        };

        async Task<Guid?> IdentifyAsync(string what, IConditionalStore? store)
        {
            try
            {
                // One that the clusters keep together is not there before they are linked.
                return store is null ? null : store is IClusterStore kept ? kept.Identity
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
        : AgainstStores(cluster, facts);

    private string? AgainstStores(ClusterId cluster, ReadOnlySpan<byte> facts)
    {
        try
        {
            return Stores.ConflictWith(own, cluster, StoreFacts.Read(facts));
        }
        catch (GeoSerializationException e)
        {
            // Their form changes with versions; bytes that were damaged on the way would not have come this far.
            return $"cluster '{own}' cannot read what cluster '{cluster}' tells of its stores ({e.Message.TrimEnd('.')}): the two run "
                + "versions of Geo that do not work together; stop all silos and start them with one version";
        }
    }
}
