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
    /// <summary>What this node tells of its stores; nothing before they were asked, which is before it starts.</summary>
    public StoreFacts Stores { get; set; } = StoreFacts.None;

    /// <inheritdoc/>
    public ReadOnlyMemory<byte> Own => Stores.ToBytes();

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
