namespace Geo.Directory.Tests;

/// <summary>What a silo keeps and does at the same time is bounded; beyond that it refuses, and says why.</summary>
public sealed class RoomTests
{
    private static readonly GrainKey[] Keys = [.. Enumerable.Range(0, 5).Select(i => new GrainKey("cart", $"k{i}"))];

    [Fact]
    public void A_silo_places_no_more_grains_at_the_same_time_than_allowed()
    {
        var world = new World { Options = new() { MaxAcquisitions = 2 } };
        World.Run(world, async silos =>
        {
            var placing = new[] { silos[0].CallAsync(Keys[0]), silos[0].CallAsync(Keys[1]), silos[0].CallAsync(Keys[0]) };

            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Keys[2]));

            Assert.Contains("MaxAcquisitions", refused.Message, StringComparison.Ordinal);
            Assert.All(await Task.WhenAll(placing), p => Assert.Equal(PlacementKind.Here, p.Kind));
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Keys[2])).Kind);
        });
    }

    [Fact]
    public void A_silo_has_no_more_instances_than_allowed_and_takes_more_when_some_are_released()
    {
        var world = new World { Options = new() { MaxHeldRows = 2 } };
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Keys[0]);
            await silos[0].CallAsync(Keys[1]);

            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Keys[2]));
            Assert.Contains("MaxHeldRows", refused.Message, StringComparison.Ordinal);
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Keys[1])).Kind);

            await silos[0].EndAsync(Keys[1]);
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Keys[2])).Kind);
        });
    }

    [Fact]
    public void A_silo_answers_no_more_requests_at_the_same_time_than_allowed_and_leaves_no_duplicate_for_that()
    {
        var world = new World { Options = new() { MaxRequests = 1 } };
        World.Run(world, async silos =>
        {
            silos[1].Rows.Fault = _ => StoreFault.UnknownWithoutEffect;
            var calls = Keys.Select(k => silos[0].CallAsync(k)).ToArray();
            await world.PassAsync(World.OneWay * 1.5);
            silos[1].Rows.Fault = _ => StoreFault.None;
            await Task.WhenAll(calls);
            await world.PassAsync(20);

            Assert.All(Keys, k => Assert.Equal(GsiState.Owned, silos[0].Entry(k).State));
            Assert.All(await Task.WhenAll(Keys.Select(k => silos[1].CallAsync(k))), p => Assert.Equal(PlacementKind.Elsewhere, p.Kind));
        });
    }

    [Theory]
    [InlineData(SingleInstanceMode.Optimistic)]
    [InlineData(SingleInstanceMode.Pessimistic)]
    public void A_cluster_that_has_no_room_for_a_request_is_neither_passed_over_nor_taken_for_lost(SingleInstanceMode mode)
    {
        var log = new LogLines();
        var world = new World { Options = new() { MaxRequests = 1, StoreRetryDelay = TimeSpan.FromSeconds(0.3) }, Log = log };
        World.Run(world, async silos =>
        {
            silos[1].Rows.Fault = _ => StoreFault.UnknownWithoutEffect;
            var first = silos[0].CallAsync(Keys[0]);
            await world.PassAsync(0.01);
            var second = silos[0].CallAsync(Keys[1], mode);
            await world.PassAsync(0.8);
            Assert.False(second.IsCompleted);
            silos[1].Rows.Fault = _ => StoreFault.None;

            Assert.Equal(PlacementKind.Here, (await second).Kind);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Keys[1]).State);
            await first;
            Assert.DoesNotContain(log.Lines, line => line.Line.Contains("without exclusive ownership", StringComparison.Ordinal));
        });
    }
}
