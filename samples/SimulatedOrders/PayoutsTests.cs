namespace SimulatedOrders;

public class PayoutsTests
{
    // A lease of two seconds and a tenth, two looks at it, and two trips.
    private static readonly TimeSpan TakenOver = TimeSpan.FromSeconds(5);

    [Theory]
    [InlineData(true, 3)]
    [InlineData(false, 1)]                                                              // without the epoch a payout is lost
    public void An_instance_that_stood_still_overwrites_nothing(bool isFenced, int expected) =>
        GeoSimulation.Explore(seeds: 10, async world =>
        {
            var table = new PayoutTable(isFenced);
            var (eu, us) = (world.AddCluster("eu", host => App.ConfigurePayouts(host, table)),
                world.AddCluster("us", host => App.ConfigurePayouts(host, table)));
            await world.StartAsync();
            await world.PassAsync(TimeSpan.FromSeconds(1));

            // An instance in us has read, and is about to write, when its process stands still.
            world.At("about to pay").Suspend();
            var first = us.Client().Grain<IPayouts>("7").TryAsync(p => p.Pay(1));
            await world.At("about to pay").ReachedAsync();
            us[0].Freeze();
            await world.PassAsync(TakenOver);

            // Another one in eu pays instead.
            world.At("about to pay").Release();
            Assert.Equal(3, await eu.Client().Grain<IPayouts>("7").Pay(3));
            us[0].Thaw();
            await first;
            await world.PassAsync(TimeSpan.FromSeconds(1));
            Assert.Equal(expected, await table.ReadAsync());
        });
}
