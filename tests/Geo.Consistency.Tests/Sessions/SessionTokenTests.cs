namespace Geo.Consistency.Tests.Sessions;

public sealed class SessionTokenTests
{
    // A term counts from the clock.
    private static readonly Term Term = new(1_800_000_000_000, new("eu"), 12345);

    [Fact]
    public void A_token_is_read_as_it_was_written()
    {
        var token = SessionToken.None.Replace(
            1, SessionMark.Led(1, new(Term, 1_000)), SessionMark.Pending(1, 99, new(17, 17))).Merge(SessionToken.None.Replace(
            2, SessionMark.Stored(2, 500_000))).Merge(SessionToken.None.Replace(3, SessionMark.Single(3, 4, 5)));
        var read = SessionToken.Parse(token.ToString());
        Assert.Equal(token, read);
        Assert.Equal(
            [SessionMark.Led(1, new(Term, 1_000)), SessionMark.Pending(1, 99, new(17, 17))], read.Of(1));
        Assert.Equal([SessionMark.Stored(2, 500_000)], read.Of(2));
        Assert.Equal([SessionMark.Single(3, 4, 5)], read.Of(3));
        Assert.False(read.IsIncomplete);
    }

    [Fact]
    public void Three_volatile_grains_fit_and_the_fourth_drops_the_one_used_longest_ago_and_says_so()
    {
        var token = SessionToken.None;
        for (var grain = 1UL; grain <= 3; grain++)
        {
            token = token.Merge(SessionToken.None.Replace(grain, SessionMark.Led(grain, new(Term, 100_000))));
        }

        Assert.False(token.IsIncomplete);
        token = token.Merge(SessionToken.None.Replace(1, SessionMark.Led(1, new(Term, 100_001))));
        token = token.Merge(SessionToken.None.Replace(4, SessionMark.Led(4, new(Term, 100_000))));
        Assert.True(token.IsIncomplete);
        Assert.Empty(token.Of(2));
        Assert.Single(token.Of(1));
        Assert.True(token.ToString().Length <= 86);
        Assert.True(SessionToken.Parse(token.ToString()).IsIncomplete);
        Assert.True(SessionToken.None.Merge(token).IsIncomplete);
    }

    [Fact]
    public void Seven_stored_grains_fit_and_unconfirmed_updates_of_four()
    {
        var (stored, pending) = (SessionToken.None, SessionToken.None);
        for (var grain = 1UL; grain <= 7; grain++)
        {
            stored = stored.Merge(SessionToken.None.Replace(grain, SessionMark.Stored(grain, 500_000)));
            pending = pending.Merge(SessionToken.None.Replace(grain, SessionMark.Pending(grain, 99, new(1_000_000, 1_010_000), true)));
        }

        Assert.All(Enumerable.Range(1, 7), grain => Assert.Single(stored.Of((ulong)grain)));
        Assert.All(Enumerable.Range(4, 4), grain => Assert.Single(pending.Of((ulong)grain)));
    }

    [Fact]
    public void What_is_unconfirmed_is_kept_before_what_can_be_read_linearizably_instead()
    {
        var token = SessionToken.None.Replace(1, SessionMark.Pending(1, 99, new(17, 17)));
        for (var grain = 2UL; grain <= 9; grain++)
        {
            token = token.Replace(grain, SessionMark.Led(grain, new(Term, 100_000)));
        }

        Assert.Single(token.Of(1));
        Assert.Empty(token.Of(2));
        Assert.Single(token.Of(9));
        Assert.True(token.IsIncomplete);
        for (var grain = 10UL; grain <= 19; grain++)
        {
            token = token.Merge(SessionToken.None.Replace(grain, SessionMark.Pending(grain, 99, new(17, 17))));
        }

        Assert.Single(token.Of(19));
        Assert.Empty(token.Of(1));
        Assert.True(token.ToString().Length <= 86);
    }

    [Fact]
    public void Of_the_versions_of_a_grain_that_do_not_all_fit_none_is_kept()
    {
        var token = Led(7, 50).Merge(Led(8, 3));
        for (var grain = 2UL; token.Of(1).Any(); grain++)
        {
            Assert.Equal(2, token.Of(1).Count());
            Assert.False(token.IsIncomplete);
            token = token.Merge(SessionToken.None.Replace(grain, SessionMark.Led(grain, new(Term, 100_000))));
        }

        Assert.True(token.IsIncomplete);
    }

    [Fact]
    public void What_a_full_token_has_left_out_is_not_named_again_by_a_call_beside_it_that_saw_less()
    {
        var sent = SessionToken.None.Replace(1, SessionMark.Stored(1, 40));
        var late = SessionToken.None.Replace(1, SessionMark.Stored(1, 45));
        var full = SessionToken.None.Replace(1, SessionMark.Stored(1, 50));
        for (var grain = 2UL; full.Of(1).Any(); grain++)
        {
            full = full.Replace(grain, SessionMark.Led(grain, new(Term, 100_000)));
        }

        foreach (var token in new[] { full.After(sent, late), full.Merge(late), late.Merge(full) })
        {
            Assert.Empty(token.Of(1));
            Assert.True(token.IsIncomplete);
        }

        // A call that the full token was given has read the latest.
        Assert.Single(full.After(full, full.Replace(1, SessionMark.Stored(1, 60))).Of(1));
    }

    [Fact]
    public void Merging_keeps_the_later_of_each_grain_in_either_order()
    {
        var later = SessionToken.None.Replace(1, SessionMark.Led(1, new(Term, 50))).Replace(2, SessionMark.Stored(2, 9));
        var earlier = SessionToken.None.Replace(1, SessionMark.Led(1, new(Term, 49))).Replace(2, SessionMark.Stored(2, 8));
        foreach (var merged in new[] { later.Merge(earlier), earlier.Merge(later), later.Merge(later) })
        {
            Assert.Equal([SessionMark.Led(1, new(Term, 50))], merged.Of(1));
            Assert.Equal([SessionMark.Stored(2, 9)], merged.Of(2));
        }
    }

    [Fact]
    public void What_a_call_found_confirmed_is_dropped_and_what_another_call_wrote_meanwhile_stays()
    {
        var sent = SessionToken.None.Replace(1, SessionMark.Pending(1, 99, new(17, 17)));
        var meanwhile = sent.Merge(SessionToken.None.Replace(1, SessionMark.Pending(1, 98, new(3, 3))));
        var after = meanwhile.After(sent, SessionToken.None.Replace(1, SessionMark.Stored(1, 5)));
        Assert.Equal([SessionMark.Stored(1, 5), SessionMark.Pending(1, 98, new(3, 3))], after.Of(1));
    }

    [Fact]
    public void Updates_that_calls_side_by_side_have_queued_are_all_kept()
    {
        var (five, nine) = (Queued(5, 5), Queued(9, 9));
        var both = SessionToken.None.After(SessionToken.None, nine).After(SessionToken.None, five);
        Assert.Equal([SessionMark.Pending(1, 99, new(5, 9))], both.Of(1));
        Assert.Equal(both, five.Merge(nine));
        Assert.Equal(both, SessionToken.Parse(both.ToString()));
        Assert.Equal([SessionMark.Pending(1, 99, new(9, 9))], five.After(five, nine).Of(1));
        Assert.Equal(
            [SessionMark.Pending(1, 99, new(5, 9), isOnCondition: true)],
            nine.Merge(SessionToken.None.Replace(1, SessionMark.Pending(1, 99, new(5, 6), isOnCondition: true))).Of(1));
    }

    [Fact]
    public void Versions_of_two_leaders_are_both_kept_unless_a_call_has_found_the_one_in_the_history_of_the_other()
    {
        var (earlier, later) = (Led(7, 50), Led(8, 3));
        Assert.Equal(2, SessionToken.None.After(SessionToken.None, earlier).After(SessionToken.None, later).Of(1).Count());
        Assert.Equal(2, later.After(SessionToken.None, earlier).Of(1).Count());
        Assert.Equal(later.Of(1), earlier.After(earlier, later).Of(1));
        Assert.Equal(2, Led(7, 60).After(earlier, later).Of(1).Count());
    }

    [Fact]
    public void What_is_no_token_is_refused()
    {
        var random = new Random(1);
        var sound = SessionToken.None.Replace(1, SessionMark.Led(1, new(Term, 100_000))).ToString();
        Assert.True(SessionToken.TryParse(null, out var none) && none.IsNone);
        Assert.False(SessionToken.TryParse("not a token", out _));
        Assert.False(SessionToken.TryParse(new string('A', 5_000), out _));
        Assert.Throws<FormatException>(() => SessionToken.Parse("AA"));
        for (var i = 0; i < 10_000; i++)
        {
            var damaged = sound.ToCharArray();
            damaged[random.Next(damaged.Length)] = (char)random.Next(33, 127);
            if (SessionToken.TryParse(new(damaged, 0, random.Next(damaged.Length + 1)), out var token))
            {
                Assert.Equal(token, SessionToken.Parse(token.ToString()));
            }
        }
    }

    private static SessionToken Queued(long first, long last) =>
        SessionToken.None.Replace(1, SessionMark.Pending(1, 99, new(first, last)));

    private static SessionToken Led(long counter, long version) =>
        SessionToken.None.Replace(1, SessionMark.Led(1, new(Term with { Counter = counter }, version)));
}
