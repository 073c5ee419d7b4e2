using Geo.Directory;
using Microsoft.Extensions.Options;

namespace Geo.Administration;

/// <summary>Finds out where a single-instance grain is, by asking every cluster for its row.</summary>
internal sealed class GrainSearch(
    ISiloAccess silo, IGeoStatus status, Neighbours neighbours, IOptions<GeoAdministrationOptions> options)
{
    private int _running;

    /// <exception cref="GeoUnavailableException">The silo has not started, or stops; or as many searches as may run do.</exception>
    public async Task<GrainAnswer> FindAsync(GrainKey key, CancellationToken cancellationToken)
    {
        try
        {
            return Interlocked.Increment(ref _running) <= options.Value.MaxSearches
                ? await AskAllAsync(key, cancellationToken)
                : throw new GeoUnavailableException(
                    $"{options.Value.MaxSearches} other searches run already; try again when one has ended.");
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private async Task<GrainAnswer> AskAllAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var report = status.Read() ?? throw new GeoUnavailableException("The silo has not started, or stops.");
        var asking = Task.WhenAll(report.Others.Select(other => AskAsync(other.Cluster, key, cancellationToken)));
        var own = await GrainViews.ReadAsync(silo, key, options.Value.AnswerTimeout, cancellationToken);
        GrainView[] all = [own, .. await asking];

        // A row that lets an instance run there is the cluster's own word; a hint is what one silo remembers.
        var there = all.Where(view => view.Cluster == view.Asked).OrderByDescending(view => view.State == nameof(GsiState.Owned)).ToList();
        var (cluster, node) = (there.FirstOrDefault()?.Cluster, there.FirstOrDefault()?.Node);
        var why = there.Count switch
        {
            0 => "No cluster that answers has an instance: the next call places it.",
            1 => there[0].Why,
            _ => $"{string.Join(" and ", there.Select(view => view.Asked))} have an instance each: Doubtful ones become one when their "
                + "clusters hear each other.",
        };
        var history = Histories.Together(all.Select(view => view.History));
        var since = Histories.SinceWhen(history, cluster, node);
        return new(key.ToString(), cluster, node, since, why, [.. all.Select(view => view with { History = null })], history);
    }

    private async Task<GrainView> AskAsync(ClusterId cluster, GrainKey key, CancellationToken cancellationToken) =>
        await neighbours.AskAsync(cluster, key, cancellationToken)
        ?? new() { Asked = cluster.Name, Why = "It did not answer." };
}
