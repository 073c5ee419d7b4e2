using Geo.Consistency.Tests.Views;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>
/// What one call of a session has queued is not forgotten because another call, made beside it, has queued something later.
/// </summary>
public sealed class SideBySideTests
{
    private const int Long = 3_000;

    public static TheoryData<string, string> Unwritable => ToldOutcomeTests.Unwritable;

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void An_update_that_was_taken_out_is_told_whatever_call_ends_first(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        var (session, other) = (new GeoSession(), SessionToken.None);
        world.Run(
            async view =>
            {
                // Neither call knows of the other; the first one's update is gone before the second one's comes.
                var begun = session.Token;
                var lost = (await view.UpdateAsync(unwritable, ViewUpdate.Queued)).Session;
                await world.Delay(Long);
                other = (await view.UpdateAsync("u1", ViewUpdate.Queued)).Session;
                await world.Delay(Long);
                session.Take(begun, other);
                session.Take(begun, lost);
                Assert.Equal(session.Token, lost.After(begun, other));
                foreach (var read in new[] { ViewRead.Confirmed, ViewRead.Tentative, ViewRead.Linearizable })
                {
                    await Assert.ThrowsAsync<GeoOutcomeUnknownException>(
                        () => view.ReadAsync(n => 0, read with { Session = session.Token }));
                }

                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(
                    () => view.UpdateAsync("u2", ViewUpdate.Queued with { Session = session.Token }));
                Assert.Equal(1, (await view.ReadAsync(n => n.Lines.Count, ViewRead.AtLeast(other))).Value);
            },
            afterCrash: async view =>
            {
                await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => view.ReadAsync(n => 0, ViewRead.AtLeast(session.Token)));
                Assert.Equal(1, (await view.ReadAsync(n => n.Lines.Count, ViewRead.AtLeast(other))).Value);
            });
    }

    [Theory]
    [MemberData(nameof(Unwritable))]
    public void A_session_that_queues_one_after_the_other_is_not_held_up_by_what_others_lost_between(string kind, string unwritable)
    {
        var world = new ToldWorld(kind);
        world.Run(async view =>
        {
            var session = SessionToken.None;
            for (var i = 1; i <= 5; i++)
            {
                session = (await view.UpdateAsync($"u{i}", ViewUpdate.Queued with { Session = session })).Session;
                await world.Delay(Long);
                view.Enqueue(unwritable);
                await world.Delay(Long);
            }

            Assert.Equal(5, (await view.ReadAsync(n => n.Lines.Count, ViewRead.AtLeast(session))).Value);
        });
    }
}
