using Geo.Directory;

namespace Geo.Administration;

/// <summary>Says in words what a cluster's row of a grain means.</summary>
internal static class GrainViews
{
    /// <summary>What the cluster of a silo knows of a grain.</summary>
    /// <param name="silo">The silo.</param>
    /// <param name="key">The grain.</param>
    /// <param name="answerTimeout">How long whoever asked waits.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async ValueTask<GrainView> ReadAsync(
        ISiloAccess silo, GrainKey key, TimeSpan answerTimeout, CancellationToken cancellationToken)
    {
        var history = Histories.ReadAsync(silo, key, answerTimeout, cancellationToken).AsTask();
        var row = await InspectAsync(silo.Administration, key, cancellationToken);
        return row with { History = await history };
    }

    private static async ValueTask<GrainView> InspectAsync(
        IGeoAdministration directory, GrainKey key, CancellationToken cancellationToken)
    {
        try
        {
            return Of(directory.Cluster, await directory.InspectAsync(key, cancellationToken));
        }
        catch (GeoUnavailableException e)
        {
            return new() { Asked = directory.Cluster.Name, Why = e.Message };
        }
    }

    private static GrainView Of(ClusterId asked, DirectoryRow? row)
    {
        if (row is not { Entry: var entry })
        {
            return new() { Asked = asked.Name, Why = "It has no row of the grain: no instance is here, and no round runs." };
        }

        var isHere = entry.MayRunHere;
        return new()
        {
            Asked = asked.Name,
            State = entry.State.ToString(),
            Cluster = isHere ? asked.Name : entry.Owner.IsNone ? null : entry.Owner.Name,
            Node = isHere ? entry.Node : entry.OwnerNode,
            NodeState = entry.Node is null ? null : row.Node.ToString(),
            Why = entry.State switch
            {
                GsiState.Owned when row.Node != NodeState.Living => "Its silo is gone: the next call in this cluster takes it over.",
                GsiState.Owned when !entry.Owner.IsNone => $"The instance here ends, to go on in {entry.Owner}.",
                GsiState.Owned when entry.Basis == default => $"The store by majority names this cluster, with epoch {entry.Epoch}.",
                GsiState.Owned =>
                    $"This cluster won its round: all other clusters of configuration {entry.Basis.Configuration} let it pass.",
                GsiState.Doubtful => "It was begun here while not all other clusters answered; the round is run again until they do.",
                GsiState.Requested when isHere => "It was begun here in doubt, and its round is run again now.",
                GsiState.Requested => "A round for it runs now.",
                GsiState.Loser when entry.IsYielding && entry.OwnerNode is null => $"It is moving to {entry.Owner}.",
                GsiState.Loser when entry.IsYielding => $"The instance here ends: {entry.Owner} has the grain.",
                GsiState.Loser => "A round for it lost against another cluster's, and starts over.",
                GsiState.Cached when entry.Epoch != 0 => $"The store by majority names {entry.Owner}, with epoch {entry.Epoch}.",
                GsiState.Cached => $"A hint in this silo's memory: {entry.Owner} had it when it was last called from here.",
                _ => "There is no row.",
            },
        };
    }
}
