using System.Diagnostics.Metrics;

namespace Geo.Directory.Tests;

/// <summary>Grains, stores and messengers that never answer: nothing in the directory waits for them without a bound.</summary>
public sealed class BoundedWaitTests
{
    private static readonly GrainKey Grain = World.Grain;
    private static readonly GrainKey[] Keys = [.. Enumerable.Range(0, 20).Select(i => new GrainKey("cart", $"k{i}"))];

    [Fact]
    public void Calls_that_never_end_on_some_duplicates_keep_no_other_grain_doubtful()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var never = new TaskCompletionSource();
            foreach (var silo in silos)
            {
                silo.Deactivating = key => key == Keys[^1] ? Task.CompletedTask : never.Task;
            }

            world.Network.Isolate(silos[0].Cluster);
            await Task.WhenAll(silos.SelectMany(s => Keys.Select(k => s.CallAsync(k))));
            world.Network.Heal();
            await world.PassAsync(60);

            Assert.Equal(Keys.Length, Keys.Count(k => silos.Count(s => s.Entry(k).State == GsiState.Owned) == 1));
            Assert.Equal(Keys.Length - 1, Keys.Count(k => silos.Any(s => s.Entry(k).IsYielding)));

            never.SetResult();
            await world.PassAsync(1);
            Assert.DoesNotContain(Keys, k => silos.Any(s => s.Entry(k).IsYielding));
            Assert.Equal(Keys.Length, silos.Sum(s => s.Deactivated.Distinct().Count()));
        });
    }

    [Fact]
    public void A_deactivation_that_never_ends_is_begun_once_and_lets_the_directory_be_disposed_of()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            var begun = 0;
            foreach (var silo in silos)
            {
                silo.Deactivating = _ =>
                {
                    begun++;
                    return new TaskCompletionSource().Task;
                };
            }

            world.Network.Isolate(silos[0].Cluster);
            await Task.WhenAll(silos.Select(s => s.CallAsync(Grain)));
            world.Network.Heal();
            await world.PassAsync(60);

            Assert.Equal(1, begun);
            Assert.Equal(TimeSpan.Zero, await world.MeasureAsync(async () =>
            {
                foreach (var silo in silos)
                {
                    await silo.Directory.DisposeAsync();
                }
            }));
        });
    }

    [Theory]
    [InlineData(SingleInstanceMode.Optimistic)]
    [InlineData(SingleInstanceMode.Pessimistic)]
    public void A_store_that_hangs_is_an_unknown_outcome_within_bounded_time(SingleInstanceMode mode)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            silos[0].Rows.Fault = _ => StoreFault.Hangs;

            var took = await world.MeasureAsync(async () =>
            {
                var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Grain, mode));
                Assert.Contains("did not answer within", refused.Message, StringComparison.Ordinal);
            });

            // The one look of the caller, and the tries of the acquisition.
            var longest = (world.Options.StoreTimeout * (1 + world.Options.StoreAttempts))
                + (world.Options.StoreRetryDelay * world.Options.StoreAttempts);
            Assert.InRange(took, TimeSpan.Zero, longest);

            silos[0].Rows.Fault = _ => StoreFault.None;
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain, mode)).Kind);
        });
    }

    [Fact]
    public void A_store_that_hangs_while_a_request_is_answered_leaves_the_requester_without_an_answer_and_no_more()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            silos[1].Rows.Fault = _ => StoreFault.Hangs;

            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Grain)).Kind);
            Assert.Equal(GsiState.Doubtful, silos[0].Entry(Grain).State);

            silos[1].Rows.Fault = _ => StoreFault.None;
            await world.PassAsync(20);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void What_is_not_waited_for_any_more_is_counted_and_beyond_a_limit_nothing_more_is_begun()
    {
        var counts = new Dictionary<string, long>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, l) =>
        {
            if (instrument.Meter.Name == DirectoryMetrics.MeterName
                && instrument.Meter.Tags?.Any(t => Equals(t.Value, "bounded-eu")) == true)
            {
                l.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, n, tags, _) =>
        {
            var name = $"{instrument.Name} {(tags.Length > 0 ? tags[0].Value : null)}";
            counts[name] = counts.GetValueOrDefault(name) + n;
        });
        listener.Start();
        var world = new World(1, "bounded-eu") { Options = new() { MaxAbandonedOperations = 3 } };
        World.Run(world, async silos =>
        {
            silos[0].Rows.Fault = _ => StoreFault.Hangs;
            foreach (var key in Keys[..3])
            {
                await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(key));
            }

            var begun = silos[0].Rows.Operations;
            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Keys[3]));
            Assert.Contains("3 operations of it have not ended yet", refused.Message, StringComparison.Ordinal);
            Assert.Equal(begun, silos[0].Rows.Operations);

            silos[0].Rows.Fault = _ => StoreFault.None;
            silos[0].Rows.Resume();
            await world.PassAsync(1);
            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Keys[3])).Kind);
        });

        Assert.Equal(3, counts["geo.directory.bounds_hit store"]);
        Assert.True(counts["geo.directory.refusals store operations"] > 0);
    }

    [Fact]
    public void A_release_ends_although_the_store_hangs()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            silos[0].Rows.Fault = _ => StoreFault.Hangs;

            var took = await world.MeasureAsync(() => silos[0].EndAsync(Grain));

            Assert.InRange(took, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_list_that_never_ends_or_breaks_off_does_not_stop_the_resolver(bool hangs)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            silos[0].Rows.ListFault = hangs ? StoreFault.Hangs : StoreFault.UnknownWithoutEffect;
            await world.PassAsync(200);
            world.Network.Isolate(silos[0].Cluster);
            await silos[0].CallAsync(Grain);
            Assert.Equal(GsiState.Doubtful, silos[0].Entry(Grain).State);

            world.Network.Heal();
            await world.PassAsync(10);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void A_messenger_that_never_answers_counts_as_a_missing_reply()
    {
        var world = new World();
        world.Over = messenger => new SilentMessenger(messenger);
        World.Run(world, async silos =>
        {
            var took = await world.MeasureAsync(() => silos[0].CallAsync(Grain));

            Assert.Equal(GsiState.Doubtful, silos[0].Entry(Grain).State);
            Assert.InRange(took, TimeSpan.Zero, world.Options.RoundLifetime);
        });
    }

    [Fact]
    public void A_move_that_the_messenger_never_ends_counts_as_none()
    {
        var isSilent = false;
        var world = new World();
        world.Over = messenger => new SilentMessenger(messenger, () => isSilent);
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            isSilent = true;

            var took = await world.MeasureAsync(async () =>
                Assert.False(await silos[0].Directory.Administration.MoveAsync(Grain, silos[1].Cluster, "the test says so")));

            Assert.InRange(took, TimeSpan.FromSeconds(1), world.Options.AcquireTimeout + (2 * world.Options.TakeoverTimeout));
        });
    }

    [Fact]
    public void A_scan_that_fails_unexpectedly_is_not_the_last_one()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            world.Network.Isolate(silos[0].Cluster);
            await silos[0].CallAsync(Grain);
            silos[0].Rows.Fault = _ => throw new InvalidOperationException("the test says so");
            await world.PassAsync(200);

            silos[0].Rows.Fault = _ => StoreFault.None;
            world.Network.Heal();
            await world.PassAsync(10);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }
}
