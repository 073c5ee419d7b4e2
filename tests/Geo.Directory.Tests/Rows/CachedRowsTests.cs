namespace Geo.Directory.Tests;

public sealed class CachedRowsTests
{
    private static readonly Placement There = new(PlacementKind.Elsewhere, new ClusterId("us"), "us/1");

    [Fact]
    public void Beyond_the_limit_the_row_that_was_not_used_gives_way()
    {
        using var metrics = new DirectoryMetrics(new ClusterId("eu"), () => 0);
        var cached = new CachedRows(2, metrics);
        cached.Set(Key(1), There, out _);
        cached.Set(Key(2), There, out _);
        Assert.True(cached.TryGet(Key(1), out _));

        Assert.True(cached.Set(Key(3), There, out var evicted));

        Assert.Equal(Key(2), evicted);
        Assert.True(cached.TryGet(Key(1), out var placement));
        Assert.Equal(There, placement);
        Assert.True(cached.TryGet(Key(3), out _));
    }

    [Fact]
    public void When_all_rows_are_used_one_gives_way_all_the_same()
    {
        using var metrics = new DirectoryMetrics(new ClusterId("eu"), () => 0);
        var cached = new CachedRows(3, metrics);
        for (var i = 0; i < 100; i++)
        {
            cached.Set(Key(i), There, out _);
            for (var j = 0; j <= i; j++)
            {
                cached.TryGet(Key(j), out _);
            }
        }

        Assert.Equal(3, Enumerable.Range(0, 100).Count(i => cached.TryGet(Key(i), out _)));
    }

    [Fact]
    public void A_hint_is_removed_only_if_it_names_the_cluster()
    {
        using var metrics = new DirectoryMetrics(new ClusterId("eu"), () => 0);
        var cached = new CachedRows(3, metrics);
        cached.Set(Key(1), There, out _);

        cached.Remove(Key(1), new ClusterId("asia"));
        Assert.True(cached.TryGet(Key(1), out _));

        cached.Remove(Key(1), There.Cluster);
        Assert.False(cached.TryGet(Key(1), out _));
    }

    [Fact]
    public void The_directory_removes_the_rows_of_evicted_hints_those_of_an_earlier_life_included()
    {
        var world = new World { Options = new() { MaxCachedRows = 3 } };
        World.Run(world, async silos =>
        {
            var keys = Enumerable.Range(0, 10).Select(Key).ToArray();
            foreach (var key in keys)
            {
                await silos[0].CallAsync(key);
                await silos[1].CallAsync(key);
            }

            await world.PassAsync(1);
            Assert.Equal(3, keys.Count(k => silos[1].Entry(k).State == GsiState.Cached));
            Assert.Equal(7, keys.Count(k => silos[1].Entry(k).State == GsiState.Invalid));

            world.Crash(silos[1]);
            world.Options = new() { MaxCachedRows = 1 };
            var restarted = await world.RestartAsync(silos[1]);
            await world.PassAsync(1);
            Assert.Single(keys, k => restarted.Entry(k).State == GsiState.Cached);
        });
    }

    private static GrainKey Key(int i) => new("cart", $"k{i}");
}
