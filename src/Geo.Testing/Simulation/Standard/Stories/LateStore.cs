namespace Geo.Testing;

/// <summary>
/// The store of rows says of writes that they are unknown, and does them seconds later. Meanwhile grains come and go: what lands late is of
/// a tenancy, or a round, that is over.
/// </summary>
internal sealed class LateStore(StandardRun run) : SiloStory(run)
{
    private const int Times = 8;

    private static readonly TimeSpan MaxLateness = TimeSpan.FromSeconds(8);

    public override async Task RunAsync()
    {
        var options = Troubled.RemoteRows!.Options;
        options.MaxLateness = MaxLateness;
        for (var time = 0; time < Times; time++)
        {
            var (silo, grain) = (AnySilo(Troubled), NewGrain(isPessimistic: Choices.Next(2) == 1));
            if (Choices.Next(3) == 2)
            {
                World.Partition(Troubled, Other);
            }

            // The first write of a round, and perhaps what asks for it.
            options.Late = Choices.Next(2) == 1 ? 1 : 0;
            var calling = UntilCalledAsync(silo, grain);
            await PassAsync(0.02, 0.3);
            (options.Late, options.Unreachable) = (0, Choices.Next(2) == 1);
            await PassAsync(0.3, 1);
            options.Unreachable = false;
            await calling;
            if (Choices.Next(2) == 1)
            {
                // What lands of them now finds no row.
                await CallAsync(silo, grain, g => g.Leave());
                World.Mend(Troubled, Other);
                continue;
            }

            // All tries of a release, or some, and the grain is called anew.
            options.Late = 1;
            await CallAsync(silo, grain, g => g.Leave());
            await PassAsync(0, 3);
            options.Late = 0;
            await CallAsync(Choices.Next(3) == 2 ? AnySilo(Troubled) : silo, grain);
            World.Mend(Troubled, Other);
        }

        await World.PassAsync(MaxLateness);
    }

    private async Task UntilCalledAsync(SimulatedSilo silo, StandardGrain grain)
    {
        for (var tries = 0; tries < 3 && !await CallAsync(silo, grain); tries++)
        {
            await World.PassAsync(TimeSpan.FromMilliseconds(50));
        }
    }
}
