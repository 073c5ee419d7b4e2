namespace Geo.Directory.Tests;

public sealed class HintsTests
{
    private static readonly Placement There = new(PlacementKind.Elsewhere, new ClusterId("us"), "us/1");

    [Fact]
    public void Beyond_the_limit_the_hint_that_was_not_used_gives_way()
    {
        using var metrics = new DirectoryMetrics(new ClusterId("eu"), () => default);
        var hints = new Hints(2, metrics);
        hints.Set(Key(1), There);
        hints.Set(Key(2), There);
        Assert.True(hints.TryGet(Key(1), out _));

        hints.Set(Key(3), There);

        Assert.False(hints.TryGet(Key(2), out _));
        Assert.True(hints.TryGet(Key(1), out var placement));
        Assert.Equal(There, placement);
        Assert.True(hints.TryGet(Key(3), out _));
    }

    [Fact]
    public void When_all_hints_are_used_one_gives_way_all_the_same()
    {
        using var metrics = new DirectoryMetrics(new ClusterId("eu"), () => default);
        var hints = new Hints(3, metrics);
        for (var i = 0; i < 100; i++)
        {
            hints.Set(Key(i), There);
            for (var j = 0; j <= i; j++)
            {
                hints.TryGet(Key(j), out _);
            }
        }

        Assert.Equal(3, Enumerable.Range(0, 100).Count(i => hints.TryGet(Key(i), out _)));
    }

    [Fact]
    public void A_hint_is_removed_only_if_it_names_the_cluster()
    {
        using var metrics = new DirectoryMetrics(new ClusterId("eu"), () => default);
        var hints = new Hints(3, metrics);
        hints.Set(Key(1), There);

        hints.Remove(Key(1), new ClusterId("asia"));
        Assert.True(hints.TryGet(Key(1), out _));

        hints.Remove(Key(1), There.Cluster);
        Assert.False(hints.TryGet(Key(1), out _));
    }

    [Fact]
    public void A_hint_that_gives_way_costs_its_next_caller_a_round_and_no_row_is_touched()
    {
        var world = new World { Options = new() { MaxHints = 3 } };
        World.Run(world, async silos =>
        {
            var keys = Enumerable.Range(0, 10).Select(Key).ToArray();
            foreach (var key in keys)
            {
                await silos[0].CallAsync(key);
                await silos[1].CallAsync(key);
            }

            var (reads, writes) = (silos[1].Rows.Reads, silos[1].Rows.Writes);
            await world.PassAsync(1);
            Assert.Equal((reads, writes), (silos[1].Rows.Reads, silos[1].Rows.Writes));

            Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(() => silos[1].CallAsync(keys[9])));
            Assert.Equal(World.RoundTrip, await world.MeasureAsync(() => silos[1].CallAsync(keys[0])));
        });
    }

    private static GrainKey Key(int i) => new("cart", $"k{i}");
}
