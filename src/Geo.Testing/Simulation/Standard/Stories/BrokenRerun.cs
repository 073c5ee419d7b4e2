using Geo.Directory;

namespace Geo.Testing;

/// <summary>
/// Two clusters have grains in doubt, and try again at one time when they hear each other. The silo of the one that has given up its round
/// stands still at that moment, and the clusters lose each other once more: whoever comes next puts the row in order.
/// </summary>
internal sealed class BrokenRerun(StandardRun run) : SiloStory(run)
{
    private const int Times = 3;
    private const int Duplicates = 4;

    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(2);

    public override async Task RunAsync()
    {
        for (var time = 0; time < Times; time++)
        {
            World.Link(Troubled, Other).Takes(Seconds(0.03, 0.12));
            World.Link(Other, Troubled).Takes(Seconds(0.03, 0.12));
            var silo = AnySilo(Troubled);
            var grains = await DuplicateAsync(silo, Duplicates, owned: 0);

            // By then siblings have found them, too.
            await PassAsync(2, 5);
            World.Mend(Troubled, Other);
            for (var left = TimeSpan.FromSeconds(1); left > TimeSpan.Zero && !grains.Any(HasLost); left -= Glance)
            {
                await World.PassAsync(Glance);
            }

            silo.Freeze(stopClock: Choices.Next(2) == 1);
            World.Partition(Troubled, Other);
            await PassAsync(0.5, 2.5);
            World.Mend(Troubled, Other);
            await PassAsync(0.5, 3);
            silo.Thaw();
            await PassAsync(2, 4);
            await Task.WhenAll(Troubled.Silos.Select(StartAsync));
        }
    }

    private bool HasLost(StandardGrain grain) => World.Watch.StateOf(Troubled.Id, grain.ToString()) == GsiState.Loser;
}
