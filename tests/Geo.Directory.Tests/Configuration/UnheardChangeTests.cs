using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>Changes whose write took effect while its answer was lost, and that others carried on with before anybody looked.</summary>
public sealed class UnheardChangeTests
{
    private static readonly ClusterId B = new("b"), C = new("c");

    [Fact]
    public void An_addition_that_is_a_member_by_the_time_that_it_is_looked_at_was_made() => Run(41, async (world, a, changed) =>
    {
        var change = await a.Lane.RunAsync(() => changed(() => a.Works!.MayOwn(C)).AddAsync(C, []).AsTask());
        Assert.True(change.IsMade, change.Message);
        Assert.Equal(3, change.Version);
    });

    [Fact]
    public void A_removal_that_has_gone_by_the_time_that_it_is_looked_at_was_made() => Run(42, async (world, a, changed) =>
    {
        var change = await a.Lane.RunAsync(() => changed(() => !a.Works!.Includes(B)).RemoveAsync(B).AsTask());
        Assert.True(change.IsMade, change.Message);
        Assert.Equal(3, change.Version);
    });

    private static void Run(int seed, Func<KeptClusters, KeptSilo, Func<Func<bool>, IGeoConfiguration>, Task> test)
    {
        var world = new KeptClusters(seed);
        world.Scheduler.Run(async () =>
        {
            var a = await world.StartAsync(world.All[0]);
            await world.StartAsync(world.All[1]);
            await world.StartAsync(world.All[2]);
            await world.PassAsync(10);
            await test(world, a, until => new ConfigurationAdministration(
                new ConfigurationDocuments(new UnheardStore(world.Shared, () => world.UntilAsync(until))), a.Keeper, _ => { }));
        });
    }

    /// <summary>Answers a write only when something has happened since, and then that it does not know.</summary>
    private sealed class UnheardStore(IConditionalStore inner, Func<Task> later) : StoreOver(inner)
    {
        public override async ValueTask<StoreWrite> WriteAsync(
            string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
        {
            Assert.Equal(StoreWriteOutcome.Applied, (await Inner.WriteAsync(key, value, expected, cancellationToken)).Outcome);
            await later();
            return StoreWrite.Unknown("the answer was lost");
        }
    }
}
