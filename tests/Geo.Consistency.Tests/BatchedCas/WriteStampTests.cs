using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.BatchedCas;

/// <summary>The histories in which one bit per cluster (GEO section 3.4.1, idempotence) is not enough.</summary>
public sealed class WriteStampTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_attempt_that_arrives_after_it_was_given_up_does_not_take_the_later_updates_for_written(bool looksAtNumbers)
    {
        // Attempt 1 with {u1} is silent, a read shows nothing, attempt 2 with {u1, u2} meets attempt 1, which arrived after all.
        var world = new CasWorld();
        world.Store.Script[1] = Fault.LateByTwo;
        var a = world.Add();
        CasRules.SwitchOff(looksAtNumbers ? null : CasRule.Landed);
        try
        {
            world.Run(() => a.Do(async view =>
            {
                view.Enqueue("u1");
                await world.Delay(12);
                view.Enqueue("u2");
                await view.ConfirmAsync();
            }));
        }
        finally
        {
            CasRules.SwitchOff(null);
        }

        Assert.Equal(looksAtNumbers ? ["u1", "u2"] : ["u1", "u1", "u2"], world.Stored.Lines);
        Assert.Equal(world.Stored.Version, a.View.Version);
    }

    [Fact]
    public void A_late_write_of_a_dead_predecessor_in_the_same_cluster_does_not_pass_for_ones_own()
    {
        var world = new CasWorld();
        world.Store.Script[1] = Fault.LateByThree;
        world.Store.Script[3] = Fault.Lost;
        var dead = world.Add("a");
        var heir = world.Add("a");
        world.Run(async () =>
        {
            await dead.Do(view => view.Enqueue("dead"));
            await world.Delay(10);
            dead.Lane.Halt();
            await heir.Do(async view =>
            {
                view.Enqueue("heir");
                await view.ConfirmAsync();
            });
        });

        Assert.Equal(["dead", "heir"], world.Stored.Lines);
        Assert.Equal(2, heir.View.Version);
    }

    [Fact]
    public void A_predecessor_that_writes_on_does_not_wipe_out_the_evidence_of_ones_own_write()
    {
        var world = new CasWorld();
        world.Store.Script[1] = Fault.AppliedUnheard;
        var heir = world.Add("a");
        var zombie = world.Add("a");
        world.Run(async () =>
        {
            await heir.Do(view => view.Enqueue("heir"));
            await world.Delay(10);
            for (var i = 0; i < 3; i++)
            {
                await zombie.Do(async view =>
                {
                    view.Enqueue($"zombie{i}");
                    await view.ConfirmAsync();
                });
            }

            await heir.Do(view => view.ConfirmAsync());
        });

        Assert.Equal(["heir", "zombie0", "zombie1", "zombie2"], world.Stored.Lines);
        Assert.Equal(4, heir.View.Version);
    }

    [Fact]
    public void When_the_evidence_was_displaced_the_outcome_is_reported_as_lost_and_never_guessed()
    {
        var world = new CasWorld { Options = new() { MaxInstances = 2 } };
        world.Store.Script[1] = Fault.AppliedUnheard;
        var a = world.Add("a");
        var others = new[] { world.Add("a"), world.Add("a") };
        Task<bool>? decision = null;
        world.Run(async () =>
        {
            await a.Do(view => { decision = view.TryEnqueueAsync(["u1"]); });
            await world.Delay(10);
            foreach (var other in others)
            {
                await other.Do(async view =>
                {
                    view.Enqueue("other");
                    await view.ConfirmAsync();
                });
            }

            await a.Do(async view =>
            {
                var lost = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ConfirmAsync());
                Assert.Contains("notes/1", lost.Message, StringComparison.Ordinal);
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => decision!);
                Assert.Empty(view.Unconfirmed);
                await view.RefreshAsync();
            });
        });

        Assert.Equal(["u1", "other", "other"], world.Stored.Lines);
    }
}
