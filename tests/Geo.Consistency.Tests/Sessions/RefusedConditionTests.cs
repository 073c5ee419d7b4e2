using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>
/// What a tentative read has shown on a condition that did not hold then is not taken for seen, wherever the session goes.
/// </summary>
public sealed class RefusedConditionTests
{
    [Fact]
    public void Over_a_store()
    {
        var world = new CasWorld();
        var (a, between, elsewhere) = (world.Add("a"), world.Add("a"), world.Add("b"));
        world.Run(async () =>
        {
            await a.Do(view => view.RefreshAsync());
            await between.Do(view => view.UpdateAsync("between", ViewUpdate.Confirmed));
            Told? told = null;
            await a.Do(async view => told = await RefuseAsync(view, () => Task.CompletedTask));
            await elsewhere.Do(view => told!.CheckElsewhereAsync(view));
        });
    }

    [Fact]
    public void Under_a_leader()
    {
        var world = new LeaderWorld("a", "a", "b", "c") { Confirmation = UpdateConfirmation.Leader };
        Array.ForEach(["a", "b", "c"], c => world.Add(c));
        world.Run(async () =>
        {
            await world["b"].Do(view => view.RefreshAsync());
            world.Cut("a", "b");
            await world["a"].Do(view => view.UpdateAsync("between", ViewUpdate.Confirmed));
            Told? told = null;
            await world["b"].Do(async view => told = await RefuseAsync(view, () =>
            {
                world.Network.Heal();
                return Task.CompletedTask;
            }));
            await world["c"].Do(view => told!.CheckElsewhereAsync(view));
        });
    }

    [Fact]
    public void An_update_on_a_condition_that_held_is_seen_everywhere()
    {
        var world = new LeaderWorld("a", "a", "b", "c") { Confirmation = UpdateConfirmation.Leader };
        Array.ForEach(["a", "b", "c"], c => world.Add(c));
        world.Run(async () =>
        {
            await world["b"].Do(view => view.RefreshAsync());
            var seen = SessionToken.None;
            await world["b"].Do(async view =>
            {
                var held = view.UpdateAsync("b1", ViewUpdate.Conditional);
                seen = (await view.ReadAsync(n => 0, ViewRead.Tentative)).Session;
                Assert.True((await held).IsConfirmed);
                Assert.Equal(1, (await view.ReadAsync(n => n.Lines.Count, ViewRead.AtLeast(seen))).Value);
            });
            await world["c"].Do(async view =>
                Assert.Equal(1, (await view.ReadAsync(n => n.Lines.Count, ViewRead.AtLeast(seen))).Value));
        });
    }

    [Fact]
    public void What_held_between_two_that_were_refused_is_seen_everywhere()
    {
        var world = new CasWorld();
        var (a, between, elsewhere) = (world.Add("a"), world.Add("a"), world.Add("b"));
        world.Run(async () =>
        {
            var held = SessionToken.None;
            await a.Do(view => view.RefreshAsync());
            await RefuseOneAsync();
            await a.Do(async view =>
            {
                var holds = view.UpdateAsync("held", ViewUpdate.Conditional);
                held = (await view.ReadAsync(n => 0, ViewRead.Tentative)).Session;
                Assert.True((await holds).IsConfirmed);
            });
            await RefuseOneAsync();
            await a.Do(view => view.UpdateAsync("last", ViewUpdate.Confirmed));
            await elsewhere.Do(async view =>
            {
                await view.RefreshAsync();
                Assert.Contains("held", (await view.ReadAsync(n => n.Lines.ToArray(), ViewRead.AtLeast(held))).Value);
            });

            async Task RefuseOneAsync()
            {
                await between.Do(view => view.UpdateAsync("between", ViewUpdate.Confirmed));
                await a.Do(async view => Assert.True((await view.UpdateAsync("refused", ViewUpdate.Conditional)).IsRefused));
            }
        });
    }

    /// <summary>Has an update refused that tentative reads have shown.</summary>
    private static async Task<Told> RefuseAsync(IVersionedView<Notes, string> view, Func<Task> decide)
    {
        var conditional = view.UpdateAsync("refused", ViewUpdate.Conditional);
        var refused = await view.ReadAsync(n => n.Lines.ToArray(), ViewRead.Tentative);
        Assert.Equal(["refused"], refused.Value);
        var kept = await view.UpdateAsync("kept", ViewUpdate.Queued);
        var both = await view.ReadAsync(n => n.Lines.ToArray(), ViewRead.Tentative);
        Assert.Equal(["refused", "kept"], both.Value);
        await decide();
        Assert.True((await conditional).IsRefused);
        await view.ConfirmAsync();
        foreach (var read in new[] { ViewRead.Confirmed, ViewRead.Tentative, ViewRead.Linearizable })
        {
            await Assert.ThrowsAsync<SessionLostException>(() => view.ReadAsync(n => 0, read with { Session = refused.Session }));
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ReadAsync(n => 0, read with { Session = both.Session }));
        }

        // Who raised an update beside it has seen nothing of it.
        var own = await view.ReadAsync(n => n.Lines.ToArray(), ViewRead.AtLeast(kept.Session));
        Assert.Equal(["between", "kept"], own.Value);
        return new(refused.Session, both.Session, kept.Session);
    }

    private sealed record Told(SessionToken Refused, SessionToken Both, SessionToken Kept)
    {
        internal async Task CheckElsewhereAsync(IVersionedView<Notes, string> view)
        {
            await view.RefreshAsync();
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ReadAsync(n => 0, ViewRead.AtLeast(Refused)));
            await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ReadAsync(n => 0, ViewRead.AtLeast(Both)));
            Assert.Equal(2, (await view.ReadAsync(n => n.Lines.Count, ViewRead.AtLeast(Kept))).Value);
        }
    }
}
