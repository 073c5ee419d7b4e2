namespace Geo.Testing;

/// <summary>
/// A silo has duplicates of grains that another cluster owns, or has in doubt as well. When the clusters hear each other again one
/// of two is to be ended; meanwhile the silo is declared dead, and runs on, or one of those that see to it crashes. What may still run
/// has its row.
/// </summary>
internal sealed class SuspectedDuplicate(StandardRun run) : SiloStory(run)
{
    private const int Times = 2;
    private const int Duplicates = 4;

    public override async Task RunAsync()
    {
        for (var time = 0; time < Times; time++)
        {
            // Slow enough that something comes between two steps of a round.
            World.Link(Troubled, Other).Takes(Seconds(0.05, 0.15));
            World.Link(Other, Troubled).Takes(Seconds(0.05, 0.15));
            var silo = AnySilo(Troubled);
            await DuplicateAsync(silo, Duplicates, owned: Choices.Next(Duplicates + 1));

            // By then a sibling has found them, too, and tries them at times of its own.
            await PassAsync(3, 6);
            World.Mend(Troubled, Other);
            await PassAsync(0, 1.2);
            if (Choices.Next(4) == 3)
            {
                Troubled.Silos.First(s => s != silo).CrashAfter(Choices.Next(10));
            }
            else
            {
                silo.Suspect();
            }

            await PassAsync(2, 5);
            await Task.WhenAll(Troubled.Silos.Select(StartAsync));
        }
    }
}
