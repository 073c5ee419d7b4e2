namespace Geo.Testing;

/// <summary>
/// A silo stands still while it asks for a grain. Meanwhile another cluster becomes the owner, and a sibling asks as well: what the first
/// was told is not so any more, and decides nothing about the sibling's round.
/// </summary>
internal sealed class OvertakenRound(StandardRun run) : SiloStory(run)
{
    private const int Times = 10;

    public override async Task RunAsync()
    {
        for (var time = 0; time < Times; time++)
        {
            World.Link(Troubled, Other).Takes(Seconds(0.03, 0.12));
            World.Link(Other, Troubled).Takes(Seconds(0.03, 0.12));
            var (silo, grain) = (AnySilo(Troubled), NewGrain(isPessimistic: Choices.Next(2) == 1));
            var first = CallAsync(silo, grain);
            await PassAsync(0.02, 0.2);
            silo.Freeze();
            await CallAsync(AnySilo(Other), grain);
            var second = CallAsync(Troubled.Silos.First(s => s != silo), grain);
            await PassAsync(0, 0.3);
            silo.Thaw();
            await Task.WhenAll(first, second);
            await PassAsync(0.2, 0.6);
            await StartAsync(silo);
        }
    }
}
