namespace Geo.Directory;

/// <summary>The single-instance grains of a cluster as operators see them, of whatever mode.</summary>
/// <param name="global">Those of the modes of GEO.</param>
/// <param name="quorum">Those of the mode <see cref="SingleInstanceMode.Quorum"/>.</param>
/// <param name="isOwnedByQuorum">True for a grain of that mode.</param>
internal sealed class InstanceAdministration(
    IGeoAdministration global, IGeoAdministration quorum, Func<GrainKey, bool> isOwnedByQuorum) : IGeoAdministration
{
    // Whose mode is asked, not who it is.
    private const string AnyKey = "any";

    public ClusterId Cluster => global.Cluster;

    /// <summary>First those of the modes of GEO, then the others: the places in the two lists differ by how they begin.</summary>
    public async ValueTask<DirectoryPage> ListAsync(DirectoryQuery query, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(query);
        if (query.Type is { Length: > 0 } type && !type.Contains('/', StringComparison.Ordinal))
        {
            return await Of(new GrainKey(type, AnyKey)).ListAsync(query, cancellationToken);
        }

        if (query.After?.StartsWith(OwnerRow.Prefix, StringComparison.Ordinal) == true)
        {
            return await quorum.ListAsync(query, cancellationToken);
        }

        var page = await global.ListAsync(query, cancellationToken);
        var left = query.PageSize - page.Rows.Count - page.Damaged.Count;
        if (page.Next is not null)
        {
            return page;
        }

        if (left == 0)
        {
            return new(page.Rows, OwnerRow.Prefix) { Damaged = page.Damaged };
        }

        try
        {
            var rest = await quorum.ListAsync(query with { PageSize = left, After = null }, cancellationToken);
            return new([.. page.Rows, .. rest.Rows], rest.Next) { Damaged = [.. page.Damaged, .. rest.Damaged] };
        }
        catch (GeoUnavailableException) when (left < query.PageSize)
        {
            // No majority: who asks for the next page is told.
            return new(page.Rows, OwnerRow.Prefix) { Damaged = page.Damaged };
        }
    }

    public ValueTask<DirectoryRow?> InspectAsync(GrainKey key, CancellationToken cancellationToken = default) =>
        Of(key).InspectAsync(key, cancellationToken);

    public ValueTask<bool> ResolveAsync(GrainKey key, CancellationToken cancellationToken = default) =>
        Of(key).ResolveAsync(key, cancellationToken);

    public ValueTask<bool> ReleaseAsync(GrainKey key, string reason, CancellationToken cancellationToken = default) =>
        Of(key).ReleaseAsync(key, reason, cancellationToken);

    public ValueTask<bool> MoveAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken = default) =>
        Of(key).MoveAsync(key, to, reason, cancellationToken);

    private IGeoAdministration Of(GrainKey key) => isOwnedByQuorum(key) ? quorum : global;
}
