namespace Geo.Testing;

/// <summary>
/// One silo alone loses the store of its cluster's rows, and with it its lease. For good: its grains answer on a sibling in time. For as
/// long as it takes to be fenced off: it is, or goes on, and no sibling takes it for gone while it serves.
/// </summary>
internal sealed class LostStore(StandardRun run) : SiloStory(run)
{
    // A silo is fenced off when 1.6 times its lease have passed, or 2.2 where the one that watches it has failed once; a call that was on
    // its way to it then ends when it does.
    private const double Leases = 2.2;

    private readonly TimeSpan _patience = run.Patience;

    public override async Task RunAsync()
    {
        var (silo, rows) = (AnySilo(Troubled), Troubled.RemoteRows!);
        var (lease, sibling) = (Troubled.SiloOptions.LeaseDuration, Troubled.Silos.First(s => s != silo));
        for (var isForGood = false; !isForGood;)
        {
            isForGood = Choices.Next(3) == 2;
            StandardGrain[] grains = [NewGrain(), NewGrain(isPessimistic: true)];
            foreach (var grain in grains)
            {
                await CallAsync(silo, grain);
            }

            await PassAsync(1.5, 3);
            World.Counts.Count("stores out of reach of one silo");
            rows.CutOff(silo, hangs: Choices.Next(2) == 1);
            if (isForGood)
            {
                // Until then the silo answers itself, and who asks a sibling hears nothing of what that does.
                await World.PassAsync(lease);
                await Task.WhenAll(grains.Select(g => UntilAnsweredAsync(sibling, g, (lease * (Leases - 1)) + _patience)));
            }
            else
            {
                await World.PassAsync(Choices.Between(lease, lease * 2));
            }

            rows.Mend(silo);
            await PassAsync(0.5, 2);
        }
    }
}
