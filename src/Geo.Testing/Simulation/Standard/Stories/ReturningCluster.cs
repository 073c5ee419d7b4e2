namespace Geo.Testing;

/// <summary>
/// A cluster dies as a whole. The others go on without it, and the grains that it had have instances there when it comes back over its old
/// rows, before anybody has noticed which of its silos are dead: nobody's instance may end for the sake of a dead one.
/// </summary>
internal sealed class ReturningCluster(StandardRun run) : SiloStory(run)
{
    private const int Grains = 3;

    public override async Task RunAsync()
    {
        StandardGrain[] grains = [.. Enumerable.Range(0, Grains).Select(_ => NewGrain())];
        foreach (var grain in grains)
        {
            await CallAsync(AnySilo(Troubled), grain);
        }

        await PassAsync(0, 1);
        Troubled.Crash();
        await World.PassAsync(RowWatch.News);
        foreach (var grain in grains)
        {
            await CallAsync(AnySilo(Other), grain);
        }

        foreach (var silo in Troubled.Silos)
        {
            await PassAsync(0, 1.5);
            await StartAsync(silo);
        }

        await PassAsync(3, 6);
    }
}
