using Geo.Directory;

namespace Geo.Administration;

/// <summary>
/// Lists the grains of this cluster that may run here and have no established owner, whether their round rests or runs again.
/// </summary>
internal sealed class DoubtfulGrains(ISiloAccess silo)
{
    private const int PageSize = 100;

    private static readonly GsiState[] States = [GsiState.Doubtful, GsiState.Requested, GsiState.Loser];

    /// <summary>A page.</summary>
    /// <param name="after">What the page before named; null for the first.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    public async Task<DoubtfulPage> ListAsync(string? after, CancellationToken cancellationToken)
    {
        var rows = new SortedDictionary<string, DirectoryRow>(CodePointOrder.Instance);
        string? upTo = null;
        foreach (var state in States)
        {
            var page = await silo.Administration.ListAsync(
                new() { State = state, PageSize = PageSize, After = string.IsNullOrEmpty(after) ? null : after }, cancellationToken);
            foreach (var row in page.Rows.Where(row => row.MayRunHere))
            {
                rows[DirectoryRows.KeyOf(row.Key)] = row;
            }

            upTo = Earlier(upTo, page.Next);
        }

        // Behind the end of the shortest page others may be missing: the next one has them.
        return new(
            [
                .. rows.Where(row => upTo is null || CodePointOrder.Instance.Compare(row.Key, upTo) <= 0).Select(row => new DoubtfulGrain(
                    row.Value.Key.ToString(), row.Value.State.ToString(), row.Value.Silo, row.Value.Node.ToString())),
            ],
            upTo);
    }

    private static string? Earlier(string? one, string? other) =>
        one is null ? other : other is null || CodePointOrder.Instance.Compare(one, other) < 0 ? one : other;
}
