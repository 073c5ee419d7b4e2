namespace Geo.Testing;

/// <summary>
/// A silo stands still during a call, until a sibling has taken the grain over. When it goes on the call comes to its end, on an instance
/// that is not the grain's any more: its caller must not be told what it says.
/// </summary>
internal sealed class LingeringCall(StandardRun run) : SiloStory(run)
{
    private const int Times = 2;

    private static readonly TimeSpan TakenOver = TimeSpan.FromSeconds(15);

    public override async Task RunAsync()
    {
        for (var time = 0; time < Times; time++)
        {
            var silo = AnySilo(Troubled);
            var grain = NewGrain(isPessimistic: Choices.Next(2) == 1);
            await CallAsync(silo, grain);
            var lingering = LingerAsync(silo, grain, Choices.Next(200, 2000));
            await PassAsync(0.05, 0.15);
            silo.Freeze(stopClock: Choices.Next(2) == 1);
            await UntilAnsweredAsync(Troubled.Silos.First(s => s != silo), grain, TakenOver);
            silo.Thaw();
            await lingering;
            await PassAsync(1, 2);
            await StartAsync(silo);
        }
    }

    private async Task LingerAsync(SimulatedSilo silo, StandardGrain grain, int milliseconds)
    {
        // Who calls is outside of the silo, or in it.
        var isReplaced = false;
        if (Choices.Next(2) == 1)
        {
            var client = Troubled.Client();
            await client.Lane.RunAsync(
                async () => await grain.From(client.Grains).TryAsync(async g => isReplaced = await g.Linger(milliseconds)));
        }
        else if (silo.IsUp)
        {
            await silo.RunAsync(() => grain.From(silo.Grains).TryAsync(async g => isReplaced = await g.Linger(milliseconds)));
        }

        if (isReplaced)
        {
            World.Fail($"a call of {grain} was answered by an instance in {silo} that another one had replaced");
        }
    }
}
