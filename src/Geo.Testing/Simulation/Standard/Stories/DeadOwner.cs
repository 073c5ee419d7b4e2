namespace Geo.Testing;

/// <summary>
/// A silo dies that owns grains of which another cluster has instances in doubt, and its cluster goes on. When the clusters hear each other
/// again, those instances are the only ones there are: none may end for the dead silo's, though the rows say that it owns them.
/// </summary>
internal sealed class DeadOwner(StandardRun run) : SiloStory(run)
{
    private const int Duplicates = 4;

    public override async Task RunAsync()
    {
        World.Link(Troubled, Other).Takes(Seconds(0.02, 0.12));
        World.Link(Other, Troubled).Takes(Seconds(0.02, 0.12));
        var (silo, owner) = (AnySilo(Troubled), AnySilo(Other));
        var grains = await DuplicateAsync(silo, Duplicates, Duplicates, owner);
        await PassAsync(0, 1);
        owner.Crash();

        // Neither fenced off nor noticed at the earliest, both at the latest.
        await LiveAsync(Choices.Next(0, 9));
        World.Mend(Troubled, Other);
        await LiveAsync(Choices.Next(6, 10));
        await StartAsync(owner);

        async Task LiveAsync(int seconds)
        {
            for (; seconds > 0; seconds--)
            {
                // Or they would end for being idle.
                await Task.WhenAll(grains.Select(g => CallAsync(silo, g)));
                await World.PassAsync(TimeSpan.FromSeconds(1));
            }
        }
    }
}
