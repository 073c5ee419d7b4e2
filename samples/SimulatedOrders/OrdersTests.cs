namespace SimulatedOrders;

public class OrdersTests
{
    private static readonly TimeSpan HalfAMinute = TimeSpan.FromSeconds(30);

    [Fact]
    public void No_order_is_lost_when_the_regions_lose_each_other_and_one_crashes() => GeoSimulation.Explore(seeds: 50, async world =>
    {
        var (eu, us) = (world.AddCluster("eu", App.Configure), world.AddCluster("us", App.Configure));
        await world.StartAsync();
        world.Partition(eu, us);
        var placed = await us.Client().Grain<IOrders>("7").TryAsync(o => o.Add(1));     // answered, failed or unknown
        us[0].Crash();
        await world.PassAsync(HalfAMinute);
        await world.HealAsync();                                                        // ends the faults; then all must be in order
        Assert.InRange(await eu.Client().Grain<IOrders>("7").Count(), placed.Least, placed.Most);
    });

    [Fact]
    public void Every_order_counts_once_whatever_happens_to_the_links() => GeoSimulation.Explore(seeds: 20, async world =>
    {
        var (eu, us) = (world.AddCluster("eu", App.Configure), world.AddCluster("us", App.Configure));
        await world.StartAsync();
        var (least, most) = (0, 0);
        world.Link(eu, us).Loss = 0.2;
        var calling = world.CallAsync(perCluster: 2, HalfAMinute, async (client, choices) =>
        {
            var orders = choices.Next(1, 4);
            var placed = await client.Grain<IOrders>("7").TryAsync(o => o.Add(orders));
            (least, most) = (least + (placed.Least * orders), most + (placed.Most * orders));
        });
        await world.PassAsync(HalfAMinute / 3);
        world.Hold(eu, us);
        await world.PassAsync(HalfAMinute / 3);
        world.Release(eu, us);
        await calling;
        await world.HealAsync();
        Assert.InRange(await us.Client().Grain<IOrders>("7").Count(), least, most);
    });

    [Fact]
    public void An_order_that_its_caller_heard_nothing_of_is_there_once_or_not_at_all() => GeoSimulation.Explore(seeds: 20, async world =>
    {
        var (eu, us) = (world.AddCluster("eu", App.Configure), world.AddCluster("us", App.Configure));
        await world.StartAsync();
        world.At("order raised").CrashNext();                                           // whichever silo has the grain
        var placed = await us.Client().Grain<IOrders>("7").TryAsync(o => o.Add(1));
        Assert.Equal(CallEnd.Unknown, placed.End);
        await world.HealAsync();
        Assert.InRange(await eu.Client().Grain<IOrders>("7").Count(), placed.Least, placed.Most);
    });
}
