using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>A writer far from the storage has its share beside a near one; in virtual time.</summary>
public sealed class FairnessTests(ITestOutputHelper output)
{
    private const int Updaters = 10;
    private static readonly TimeSpan Minute = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    [InlineData(8)]
    public void Far_clusters_have_their_share_beside_one_near_the_storage(int clusters)
    {
        var (nearAlone, farAlone) = (Alone(FairWorld.Near), Alone(FairWorld.Far));
        var world = new FairWorld(new(), [FairWorld.Near, .. Enumerable.Repeat(FairWorld.Far, clusters - 1)]);
        world.Run(Minute, [.. Enumerable.Repeat(Updaters, clusters)]);
        Show(world);

        Assert.True(world.Writers.Sum(Rate) >= Math.Max(nearAlone, farAlone), "together less than one");
        var near = Rate(world.Writers[0]);
        Assert.All(world.Writers.Skip(1), far =>
        {
            Assert.True(Rate(far) >= Math.Min(farAlone, near / 8) / 2, $"{Rate(far)} beside {near} of the near one");
            Assert.True(far.First < TimeSpan.FromSeconds(2), $"{far.First}");
        });
        Assert.True(world.Conflicts < world.Writes / 100, $"{world.Conflicts} of {world.Writes} writes lost");
    }

    [Theory]
    [InlineData(5)]
    [InlineData(10)]
    [InlineData(20)]
    [InlineData(50)]
    [InlineData(100)]
    public void A_near_cluster_that_updates_now_and_then_starves_nobody(int everyMilliseconds)
    {
        var world = new FairWorld(new(), FairWorld.Near, FairWorld.Far);
        world.Run(Minute, [1, 1], [TimeSpan.FromMilliseconds(everyMilliseconds), TimeSpan.Zero]);
        Show(world);
        var far = world.Writers[1];
        Assert.True(far.First < TimeSpan.FromSeconds(2), $"{far.First}");
        Assert.True(far.Percentile(0.5) < TimeSpan.FromMilliseconds(350), $"{far.Percentile(0.5)}");
        Assert.True(far.Percentile(1) < TimeSpan.FromSeconds(2), $"{far.Percentile(1)}");
    }

    [Fact]
    public void Clusters_that_are_equally_near_have_their_shares()
    {
        var world = new FairWorld(new(), [.. Enumerable.Repeat(FairWorld.Near, 8)]);
        world.Run(Minute, [.. Enumerable.Repeat(Updaters, 8)]);
        Show(world);
        Assert.True(world.Writers.Sum(Rate) >= Alone(FairWorld.Near));
        Assert.All(world.Writers, writer => Assert.True(Rate(writer) > Alone(FairWorld.Far) / 2 && writer.First < TimeSpan.FromSeconds(2)));
    }

    [Fact]
    public void Far_clusters_read_the_latest_version_without_more_work_for_the_storage()
    {
        var world = new FairWorld(new(), [FairWorld.Near, .. Enumerable.Repeat(FairWorld.Far, 3)]);
        world.Run(Minute, [Updaters, Updaters, Updaters, Updaters], reads: [false, true, true, true]);
        Show(world);
        Assert.True(world.Reads < world.Writes / 20, $"{world.Reads} reads beside {world.Writes} writes");
        Assert.All(
            world.Writers.Skip(1), far => Assert.True(far.Percentile(0.99) < TimeSpan.FromMilliseconds(500), $"{far.Percentile(0.99)}"));
    }

    [Fact]
    public void When_the_writer_for_all_is_gone_another_takes_its_place()
    {
        var world = new FairWorld(new(), [FairWorld.Near, .. Enumerable.Repeat(FairWorld.Far, 3)]);
        world.Run(Minute, [Updaters, Updaters, Updaters, Updaters], halt: TimeSpan.FromSeconds(20));
        Show(world);
        Assert.All(world.Writers.Skip(1), far =>
        {
            Assert.True(far.Percentile(1) < TimeSpan.FromSeconds(4), $"{far.Percentile(1)}");
            Assert.True(Rate(far) > 10);
        });
    }

    [Fact]
    public void Without_hand_ins_the_far_clusters_starve_which_shows_that_the_figures_can_fail()
    {
        var world = new FairWorld(
            new() { MaxHandInBytes = 0 }, [FairWorld.Near, .. Enumerable.Repeat(FairWorld.Far, 7)]);
        world.Run(Minute, [.. Enumerable.Repeat(Updaters, 8)]);
        Show(world);
        Assert.Contains(world.Writers.Skip(1), far => Rate(far) < 1);
    }

    private static double Rate(FairWorld.Writer writer) => writer.Latencies.Count / Minute.TotalSeconds;

    private static double Alone(TimeSpan way)
    {
        var world = new FairWorld(new(), way);
        world.Run(Minute, [Updaters]);
        return Rate(world.Writers[0]);
    }

    private void Show(FairWorld world)
    {
        foreach (var writer in world.Writers)
        {
            output.WriteLine(
                $"{writer.Lane.Name}: {Rate(writer):F1}/s, first after {writer.First?.TotalMilliseconds:F0} ms, p50 "
                + $"{writer.Percentile(0.5).TotalMilliseconds:F0} ms, p99 {writer.Percentile(0.99).TotalMilliseconds:F0} ms, worst "
                + $"{writer.Percentile(1).TotalMilliseconds:F0} ms");
        }

        output.WriteLine($"{world.Writers.Sum(Rate):F1}/s together, {world.Conflicts} of {world.Writes} writes lost, {world.Reads} reads");
    }
}
