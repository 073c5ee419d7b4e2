namespace OwnProtocol;

public class WriteEachTests
{
    private static readonly TimeSpan HalfAMinute = TimeSpan.FromSeconds(30);

    [Fact]
    public void What_both_regions_sell_at_one_time_is_there_once_and_read_alike_whatever_happens() =>
        GeoSimulation.Explore(seeds: 40, async world =>
        {
            var (eu, us) = (world.AddCluster("eu", App.Configure), world.AddCluster("us", App.Configure));
            await world.StartAsync();
            var (last, calls) = (0, new List<(int Number, int Least, int Most)>());
            var calling = world.CallAsync(perCluster: 2, HalfAMinute, async (client, choices) =>
            {
                var (number, isSold) = (++last, true);
                var isConditional = choices.Next(3) == 0;
                var call = await client.Grain<ITickets>("tonight").TryAsync(async tickets =>
                {
                    if (isConditional)
                    {
                        isSold = await tickets.TrySell(number);
                    }
                    else
                    {
                        await tickets.Sell(number);
                    }
                });
                calls.Add((number, isSold ? call.Least : 0, isSold ? call.Most : 0));
            });
            await world.RandomFaultsAsync(
                SimulatedFaults.Stores | SimulatedFaults.Crashes | SimulatedFaults.Cuts | SimulatedFaults.Hangs, HalfAMinute);
            await calling;
            await world.HealAsync();

            var sold = await eu.Client().Grain<ITickets>("tonight").Sold();
            Assert.Equal(sold, await us.Client().Grain<ITickets>("tonight").Sold());
            Assert.All(calls, call => Assert.InRange(sold.Count(number => number == call.Number), call.Least, call.Most));
        });

    [Fact]
    public void A_region_that_has_not_seen_the_other_ones_sale_is_told_so() => GeoSimulation.Explore(seeds: 20, async world =>
    {
        var (eu, us) = (world.AddCluster("eu", App.Configure), world.AddCluster("us", App.Configure));
        await world.StartAsync();
        Assert.Empty(await us.Client().Grain<ITickets>("tonight").Sold());
        await eu.Client().Grain<ITickets>("tonight").Sell(1);
        Assert.False(await us.Client().Grain<ITickets>("tonight").TrySell(2));
        Assert.Equal(1, Assert.Single(await us.Client().Grain<ITickets>("tonight").Sold()));
        Assert.True(await us.Client().Grain<ITickets>("tonight").TrySell(2));
    });

    [Fact]
    public void Two_protocols_of_one_class_are_refused() =>
        Assert.Contains(
            "[BatchedCas] and [WriteEach]",
            Assert.Throws<GeoConfigurationException>(() => GrainDeclaration.Of(typeof(Undecided), versioned: true)).Message,
            StringComparison.Ordinal);

#pragma warning disable GEO001 // On purpose: a silo must refuse it too.
    [OneInstancePerCluster, WriteEach, BatchedCas]
    private sealed class Undecided;
#pragma warning restore GEO001
}
