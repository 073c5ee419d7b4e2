using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>
/// Every store operation of a whole life, one after the other, ends as unknown: without effect, with effect, or with an effect that comes
/// seconds later; alone, or as the first of a series that outlasts the retries. The world's invariants hold after every step, and once
/// the store answers again the clusters agree on one instance.
/// </summary>
public sealed class StoreOutcomeTests(ITestOutputHelper output)
{
    private static readonly GrainKey Grain = World.Grain;

    public static TheoryData<string, int> Lives => new()
    {
        { "moves", 1 },
        { "moves", 12 },
        { "race", 1 },
        { "race", 12 },
        { "partition", 1 },
        { "partition", 12 },
    };

    [Theory]
    [MemberData(nameof(Lives))]
    public void One_instance_is_left_whatever_operation_ends_as_unknown(string life, int series)
    {
        var operations = Live(life, faultySilo: 0, (_, _) => StoreFault.None);
        var runs = 0;
        for (var silo = 0; silo < operations.Length; silo++)
        {
            for (var operation = 0; operation < operations[silo]; operation++)
            {
                StoreFault[] faults = [StoreFault.UnknownWithoutEffect, StoreFault.UnknownWithEffect, StoreFault.UnknownWithLateEffect];
                foreach (var fault in faults)
                {
                    try
                    {
                        var first = operation;
                        Live(life, silo, (_, n) => n >= first && n < first + series ? fault : StoreFault.None);
                        runs++;
                    }
                    catch (Exception e)
                    {
                        throw new SimulationException(
                            $"Operations {operation} to {operation + series - 1} of silo {silo} ended as {fault}: {e.Message}", e);
                    }
                }
            }
        }

        output.WriteLine($"{life}, {series} in a series: {string.Join(" + ", operations)} operations, {runs} runs");
        Assert.True(runs > 50);
    }

    [Fact]
    public void A_release_that_takes_effect_late_does_not_take_the_row_from_the_next_instance()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            silos[0].Rows.Fault = _ => StoreFault.UnknownWithLateEffect;
            await silos[0].EndAsync(Grain);
            silos[0].Rows.Fault = _ => StoreFault.None;
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
            var before = silos[0].Entry(Grain).Epoch;

            await silos[0].CallAsync(Grain);
            await world.PassAsync(10);

            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
            Assert.NotEqual(before, silos[0].Entry(Grain).Epoch);
        });
    }

    [Fact]
    public void A_release_that_is_held_up_does_not_take_the_row_from_an_instance_created_meanwhile()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await silos[0].CallAsync(Grain);
            silos[0].Rows.Fault = _ => StoreFault.UnknownWithoutEffect;
            var release = silos[0].EndAsync(Grain);
            silos[0].Rows.Fault = _ => StoreFault.None;

            await silos[0].CallAsync(Grain);
            Assert.False(release.IsCompleted);
            await release;

            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);
        });
    }

    [Fact]
    public void A_request_is_not_answered_while_the_loss_of_the_own_round_is_not_known_to_be_stored()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            // The first cluster has all it needs to own the grain, but that write lands seconds later. The second one has precedence and
            // asks meanwhile; as the first one's row cannot be made Loser, a Pass would make two owners.
            silos[0].Rows.WriteFault = state => state switch
            {
                GsiState.Owned => StoreFault.UnknownWithLateEffect,
                GsiState.Loser or GsiState.Invalid => StoreFault.UnknownWithoutEffect,
                _ => StoreFault.None,
            };
            var first = silos[0].CallAsync(Grain);
            await world.PassAsync(World.OneWay * 1.2);
            var second = silos[1].CallAsync(Grain);

            await Assert.ThrowsAsync<GeoUnavailableException>(() => first);
            Assert.Equal(PlacementKind.Here, (await second).Kind);
            Assert.Equal(GsiState.Doubtful, silos[1].Entry(Grain).State);
            await world.PassAsync(3);
            Assert.Equal(GsiState.Owned, silos[0].Entry(Grain).State);

            // Nobody has an instance under that row, and none is ended for it.
            silos[0].Rows.WriteFault = _ => StoreFault.None;
            await world.PassAsync(10);
            Assert.Equal((GsiState.Invalid, GsiState.Owned), (silos[0].Entry(Grain).State, silos[1].Entry(Grain).State));
            Assert.Empty(silos[1].Deactivated);
        });
    }

    [Fact]
    public void A_store_that_does_not_answer_is_named_in_the_exception()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            silos[0].Rows.Fault = _ => StoreFault.UnknownWithoutEffect;

            var refused = await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Grain));
            var unknown = await Assert.ThrowsAsync<GeoUnavailableException>(
                () => silos[0].Directory.LookupAsync(Grain, TestContext.Current.CancellationToken).AsTask());

            Assert.Contains(
                "the store of the directory's rows does not answer (the test says so)", refused.Message, StringComparison.Ordinal);
            Assert.Contains("the test says so", unknown.Message, StringComparison.Ordinal);
        });
    }

    private static int[] Live(string life, int faultySilo, Func<int, int, StoreFault> fault)
    {
        var world = new World(7);
        var counts = Array.Empty<int>();
        World.Run(world, async silos =>
        {
            silos[faultySilo].Rows.Fault = n => fault(faultySilo, n);
            await (life switch
            {
                "moves" => MoveAsync(world, silos),
                "race" => RaceAsync(world, silos),
                _ => PartitionAsync(world, silos),
            });
            counts = [.. silos.Select(s => s.Rows.Operations)];

            silos[faultySilo].Rows.Fault = _ => StoreFault.None;
            await world.PassAsync(30);
            await UseAsync(world, silos[0], silos);
            await UseAsync(world, silos[1], silos);
            Assert.Single(silos, s => s.Entry(Grain).State == GsiState.Owned);
            Assert.Single(silos, s => s.Instances.Contains(Grain));
        });
        return counts;
    }

    private static async Task MoveAsync(World world, Silo[] silos)
    {
        await UseAsync(world, silos[0], silos);
        await UseAsync(world, silos[1], silos);
        await silos[0].EndAsync(Grain);
        await UseAsync(world, silos[0], silos);
        await silos[0].EndAsync(Grain);
        await UseAsync(world, silos[1], silos);
        await UseAsync(world, silos[0], silos);
        await silos[1].EndAsync(Grain);
        await UseAsync(world, silos[0], silos);
    }

    private static async Task RaceAsync(World world, Silo[] silos)
    {
        await Task.WhenAll(silos.Select(s => UseAsync(world, s, silos)));
        await Task.WhenAll(silos.Select(s => s.EndAsync(Grain)));
        await Task.WhenAll(silos.Select(s => UseAsync(world, s, silos)));
    }

    private static async Task PartitionAsync(World world, Silo[] silos)
    {
        world.Network.Isolate(silos[0].Cluster);
        await Task.WhenAll(silos.Select(s => UseAsync(world, s, silos)));
        world.Network.Heal();
        await world.PassAsync(1);
        await Task.WhenAll(silos.Select(s => UseAsync(world, s, silos)));
    }

    /// <summary>
    /// A call as a host makes it: forwarded calls come back "not here", unavailable grains are tried again, both a few times.
    /// </summary>
    private static async Task UseAsync(World world, Silo caller, Silo[] silos)
    {
        for (var attempt = 0; attempt < 8; attempt++)
        {
            try
            {
                var placement = await caller.CallAsync(Grain);
                if (placement.Kind == PlacementKind.Here)
                {
                    return;
                }

                var target = silos.Single(s => s.Cluster == placement.Cluster);
                var there = await target.Directory.LookupAsync(Grain);
                if (there is { Kind: PlacementKind.Here })
                {
                    await target.CallAsync(Grain);
                    return;
                }

                caller.Directory.ForgetCached(Grain, placement.Cluster);
            }
            catch (GeoUnavailableException)
            {
                await world.PassAsync(0.5);
            }
        }
    }
}
