namespace Geo.Testing;

/// <summary>
/// A cluster remembers grains in another one, which it has no link to when they leave, and which dies when they live in a third. Whoever
/// calls them where they are remembered finds them: their cluster is within reach.
/// </summary>
internal sealed class LostPlace(StandardRun run) : SiloStory(run)
{
    private const int Times = 2;
    private const int Grains = 3;

    // Sooner than they end for being idle.
    private static readonly TimeSpan Found = TimeSpan.FromSeconds(1.5);

    private SimulatedCluster Lost => World.Clusters[2];

    public override async Task RunAsync()
    {
        World.Network.Options.RefusedWhenCut = 1;
        for (var time = 0; time < Times; time++)
        {
            StandardGrain[] grains = [.. Enumerable.Range(0, Grains).Select(_ => NewGrain(isPessimistic: true))];
            var silo = AnySilo(Troubled);
            await CallAllAsync(AnySilo(Lost), grains);
            var known = await CallAllAsync(silo, grains);
            World.Partition(Troubled, Lost);
            await PassAsync(0, 0.3);
            await CallAllAsync(AnySilo(Lost), known, g => g.Leave());
            await PassAsync(0.3, 1.5);
            var moved = await CallAllAsync(AnySilo(Other), known);
            Lost.Crash();
            await PassAsync(0.1, 0.3);
            await Task.WhenAll(moved.Select(g => UntilAnsweredAsync(silo, g, Found)));
            World.Mend(Troubled, Lost);
            await Task.WhenAll(Lost.Silos.Select(StartAsync));
            await PassAsync(1, 3);
        }
    }

    /// <returns>Those that have answered.</returns>
    private static async Task<IReadOnlyList<StandardGrain>> CallAllAsync(
        SimulatedSilo silo, IReadOnlyList<StandardGrain> grains, Func<ILogGrain, Task>? call = null)
    {
        var answered = await Task.WhenAll(grains.Select(g => CallAsync(silo, g, call)));
        return [.. grains.Where((_, i) => answered[i])];
    }
}
