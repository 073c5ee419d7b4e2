using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>A view goes on after refusals of every kind, and takes nothing for new that is not.</summary>
public sealed class UntiringTests
{
    private static readonly string StoreKey = VersionedViews.StoreKeyPrefix + CasWorld.Grain;

    [Fact]
    public void Reads_after_refused_conditions_take_one_round_trip()
    {
        var world = new CasWorld();
        var (a, b) = (world.Add("a"), world.Add("a"));
        world.Run(async () =>
        {
            for (var i = 0; i < 12; i++)
            {
                await a.Do(view => view.RefreshAsync());
                await b.Do(async view =>
                {
                    view.Enqueue("b");
                    await view.ConfirmAsync();
                });
                Assert.False(await a.Lane.RunAsync(() => a.View.TryEnqueueAsync(["a"])));
            }

            for (var i = 0; i < 20; i++)
            {
                var began = world.Scheduler.Time.Elapsed;
                await a.Do(view => view.RefreshAsync());
                Assert.Equal(TimeSpan.FromMilliseconds(4), world.Scheduler.Time.Elapsed - began);
            }
        });
    }

    [Fact]
    public void Updates_for_which_nobody_waits_are_tried_again_after_a_permanent_refusal()
    {
        var world = new CasWorld();
        var a = world.Add();
        world.Run(() => a.Do(async view =>
        {
            await world.Store.Inner.WriteAsync(StoreKey, new byte[] { 9, 9, 9 }, null);
            view.Enqueue("u1");
            await world.Delay(1_000);
            Assert.True(view.Issue is { Permanent: true });
            var operations = world.Store.Operations;
            await world.Delay(600_000);
            Assert.InRange(world.Store.Operations - operations, 5, 20);

            var row = await world.Store.Inner.ReadAsync(StoreKey);
            await world.Store.Inner.DeleteAsync(StoreKey, row.ETag!.Value);
            await world.Delay(60_000);
            Assert.Empty(view.Unconfirmed);
        }));

        Assert.Equal(["u1"], world.Stored.Lines);
    }

    [Fact]
    public void A_known_version_under_another_etag_is_a_history_that_was_replaced() =>
        AssertTold(RestoreAsync, "other u2");

    [Fact]
    public void A_history_that_was_replaced_and_has_grown_past_the_known_version_is_told_by_its_numbers() =>
        AssertTold(RestoreAsync, "other u2", "other u3");

    /// <summary>A store that counts its versions, as the one in an SQLite file, counts them again once it is set back.</summary>
    [Fact]
    public void A_history_that_was_replaced_is_told_by_its_writer_where_the_store_gives_the_same_etag_again()
    {
        ETag? known = null;
        var world = AssertTold(
            async (world, backup) =>
            {
                known = (await world.Store.Inner.ReadAsync(StoreKey)).ETag;
                world.Store.Inner = new();
                await world.Store.Inner.WriteAsync(StoreKey, backup, null);
            },
            "other u2");

        world.Run(async () => Assert.Equal(known, (await world.Store.Inner.ReadAsync(StoreKey)).ETag));
    }

    /// <summary>
    /// One instance has confirmed two updates when the store is set back to the first, and another, which knows nothing of it, writes on:
    /// the one is told, and adopts nothing.
    /// </summary>
    private static CasWorld AssertTold(Func<CasWorld, ReadOnlyMemory<byte>, Task> restoreAsync, params string[] writtenThen)
    {
        var world = new CasWorld();
        var (a, b) = (world.Add("a"), world.Add("a"));
        world.Run(async () =>
        {
            await WriteAsync(a, "u1");
            var backup = await world.Store.Inner.ReadAsync(StoreKey);
            await WriteAsync(a, "u2");
            await restoreAsync(world, backup.Value);
            foreach (var update in writtenThen)
            {
                await WriteAsync(b, update);
            }

            await a.Do(async view =>
            {
                var replaced = await Assert.ThrowsAsync<GeoStorageException>(() => view.RefreshAsync());
                Assert.Contains("set back", replaced.Message, StringComparison.Ordinal);
                Assert.Equal(["u1", "u2"], view.Confirmed.Lines);
                Assert.True(view.Issue is { Permanent: true });
            });
        });
        return world;
    }

    private static Task WriteAsync(CasWorld.Instance instance, string update) => instance.Do(async view =>
    {
        view.Enqueue(update);
        await view.ConfirmAsync();
    });

    private static async Task RestoreAsync(CasWorld world, ReadOnlyMemory<byte> backup)
    {
        var row = await world.Store.Inner.ReadAsync(StoreKey);
        await world.Store.Inner.WriteAsync(StoreKey, backup, row.ETag);
    }
}
