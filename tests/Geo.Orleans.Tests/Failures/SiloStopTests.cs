using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Failures;

public sealed class SiloStopTests
{
    [Fact]
    public async Task Grains_of_a_silo_that_stops_in_an_orderly_way_answer_at_once_without_waiting_for_its_lease()
    {
        var lease = TimeSpan.FromMinutes(2);
        await using var clusters = await OrleansClusters.StartAsync(new()
        {
            Silos = 2,
            LeaseDuration = lease,
            Directory = directory => directory with { TakeoverTimeout = lease * 3 },
        });
        var keys = Enumerable.Range(0, 20).Select(i => $"stopped-{i}").ToArray();
        foreach (var key in keys)
        {
            await clusters.Grains("eu", silo: 1).GetGrain<ISpot>(key).Where();
            await clusters.Grains("us").GetGrain<ISpot>(key).Where();
        }

        await clusters.SilosOf("eu")[1].StopAsync();

        // Within the thirty seconds of Eventually, a fraction of the lease.
        foreach (var key in keys)
        {
            var fromEu = await Eventually.Succeeds(() => clusters.Grains("eu").GetGrain<ISpot>(key).Where());
            await Eventually.Is(fromEu, () => Eventually.Succeeds(() => clusters.Grains("us").GetGrain<ISpot>(key).Where()));
        }
    }
}
