using Geo.Directory;

namespace Geo.Testing;

/// <summary>
/// A silo crashes with a grain in doubt, in a cluster that takes long to look through all its rows. Whoever is there next finds the grain
/// by the index of those in doubt, and settles it soon.
/// </summary>
internal sealed class HiddenDoubt(StandardRun run) : SiloStory(run)
{
    private const int OtherGrains = 12;

    /// <summary>Rows in a second: less than the story waits for.</summary>
    public const int ScanRowsPerSecond = 1;

    public override async Task RunAsync()
    {
        var (silo, doubtful) = (AnySilo(Troubled), default(StandardGrain));
        for (var i = 0; i < OtherGrains; i++)
        {
            await CallAsync(AnySilo(Troubled), NewGrain());
        }

        // The last in the order of the rows.
        doubtful = new StandardGrain(typeof(OptimisticLog), "z");
        World.Partition(Troubled, Other);
        await CallAsync(silo, doubtful);
        await PassAsync(0, 1);
        silo.Crash();
        World.Mend(Troubled, Other);
        await PassAsync(0, 1);
        await StartAsync(silo);
        var within = SimulatedCluster.MaxNoticed + (2 * Troubled.SiloOptions.LeaseDuration) + Impatience.Directory.ScanInterval
            + Impatience.Directory.ScanTurn;
        await World.PassAsync(within);
        if (World.Watch.StateOf(Troubled.Id, doubtful.ToString()) == GsiState.Doubtful)
        {
            World.Fail($"{doubtful} is still in doubt in {Troubled} {within.TotalSeconds:0.0} s after its silo has died");
        }
    }
}
