using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>A store that neither answers nor heeds its token.</summary>
public sealed class StuckStoreTests
{
    private static readonly BatchedCasOptions Impatient = new()
    {
        StorageTimeout = TimeSpan.FromSeconds(1),
        RetryMaximum = TimeSpan.FromSeconds(1),
        MaxAbandonedOperations = 3,
    };

    [Fact]
    public void A_read_that_never_ends_does_not_keep_the_view_from_the_next()
    {
        var world = new CasWorld { Options = Impatient };
        var a = world.Add();
        world.Store.Gate = new();
        world.Run(() => a.Do(async view =>
        {
            var refresh = view.RefreshAsync();
            await world.Delay(1_500);
            world.Store.Gate = null;
            await refresh;
            Assert.True(world.Scheduler.Time.Elapsed < TimeSpan.FromSeconds(5));
        }));
    }

    [Fact]
    public void A_write_that_never_ended_in_time_and_arrives_after_all_takes_effect_once()
    {
        var world = new CasWorld { Options = Impatient };
        var a = world.Add();
        var late = new TaskCompletionSource();
        world.Run(() => a.Do(async view =>
        {
            await view.RefreshAsync();
            world.Store.Gate = late;
            view.Enqueue("u1");
            var confirm = view.ConfirmAsync();
            await world.Delay(1_010);
            world.Store.Gate = null;
            view.Enqueue("u2");
            await confirm;
            late.SetResult();
            await world.Delay(1_000);
            view.Enqueue("u3");
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1", "u2", "u3"], world.Stored.Lines);
    }

    /// <summary>Three hang; in two minutes six more find out whether the store works again, whether or not the others ever end.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Operations_that_never_end_are_bounded_and_the_view_goes_on_when_the_store_does(bool theyEnd)
    {
        var world = new CasWorld { Options = Impatient };
        var a = world.Add();
        var stuck = world.Store.Gate = new();
        world.Run(() => a.Do(async view =>
        {
            var refresh = view.RefreshAsync();
            await world.Delay(120_000);
            Assert.Equal(9, world.Store.Operations);
            Assert.Contains("MaxAbandonedOperations", view.Issue!.Reason, StringComparison.Ordinal);
            world.Store.Gate = null;
            if (theyEnd)
            {
                stuck.SetResult();
            }

            await refresh;
            view.Enqueue("u1");
            await view.ConfirmAsync();
        }));

        Assert.Equal(["u1"], world.Stored.Lines);
    }
}
