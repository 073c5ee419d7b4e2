namespace Geo.Testing;

/// <summary>
/// A cluster dies as a whole and comes back several times, so fast that what a silo of one life has sent to a slow store lands in the next:
/// each life must be another one, or one takes what an earlier one had for its own.
/// </summary>
internal sealed class ShortLives(StandardRun run) : SiloStory(run)
{
    private const int Lives = 4;

    public override async Task RunAsync()
    {
        var grain = NewGrain(isPessimistic: true);
        for (var life = 0; life < Lives; life++)
        {
            // More silos mean more that begin a life at one time.
            (Troubled.RemoteRows!.Options.Late, Troubled.RemoteRows.Options.LostReplies) = (0.3, 0.2);
            await Task.WhenAll(Troubled.Silos.Select(StartAsync));
            (Troubled.RemoteRows.Options.Late, Troubled.RemoteRows.Options.LostReplies) = (0, 0);
            await CallAsync(AnySilo(Troubled), grain);
            await PassAsync(0, life == Lives - 1 ? 6 : 1.5);
            await CallAsync(AnySilo(Troubled), grain);
            Troubled.Crash();
            await PassAsync(0, 0.5);
        }
    }
}
