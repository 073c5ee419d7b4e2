namespace Geo.Consistency.Tests.Sessions;

public sealed class SessionTokenTests
{
    private static readonly Term Term = new(7, new("eu"), 12345);

    [Fact]
    public void A_token_is_read_as_it_was_written()
    {
        var token = SessionToken.None.Replace(
            1, SessionMark.Led(1, new(Term, 1_000)), SessionMark.Pending(1, 99, 17)).Merge(SessionToken.None.Replace(
            2, SessionMark.Stored(2, 500_000))).Merge(SessionToken.None.Replace(3, SessionMark.Single(3, 4, 5)));
        var read = SessionToken.Parse(token.ToString());
        Assert.Equal(token, read);
        Assert.Equal(
            [SessionMark.Led(1, new(Term, 1_000)), SessionMark.Pending(1, 99, 17)], read.Of(1));
        Assert.Equal([SessionMark.Stored(2, 500_000)], read.Of(2));
        Assert.Equal([SessionMark.Single(3, 4, 5)], read.Of(3));
        Assert.False(read.IsIncomplete);
    }

    [Fact]
    public void Five_volatile_grains_fit_and_the_sixth_drops_the_one_used_longest_ago_and_says_so()
    {
        var token = SessionToken.None;
        for (var grain = 1UL; grain <= 5; grain++)
        {
            token = token.Merge(SessionToken.None.Replace(grain, SessionMark.Led(grain, new(Term, 100_000))));
        }

        Assert.False(token.IsIncomplete);
        token = token.Merge(SessionToken.None.Replace(1, SessionMark.Led(1, new(Term, 100_001))));
        token = token.Merge(SessionToken.None.Replace(6, SessionMark.Led(6, new(Term, 100_000))));
        Assert.True(token.IsIncomplete);
        Assert.Empty(token.Of(2));
        Assert.Single(token.Of(1));
        Assert.True(token.ToString().Length <= 86);
        Assert.True(SessionToken.Parse(token.ToString()).IsIncomplete);
        Assert.True(SessionToken.None.Merge(token).IsIncomplete);
    }

    [Fact]
    public void What_is_unconfirmed_is_kept_before_what_can_be_read_linearizably_instead()
    {
        var token = SessionToken.None.Replace(1, SessionMark.Pending(1, 99, 17));
        for (var grain = 2UL; grain <= 9; grain++)
        {
            token = token.Merge(SessionToken.None.Replace(grain, SessionMark.Led(grain, new(Term, 100_000))));
        }

        Assert.Single(token.Of(1));
        Assert.Empty(token.Of(2));
        Assert.Single(token.Of(9));
        Assert.True(token.IsIncomplete);
        for (var grain = 10UL; grain <= 19; grain++)
        {
            token = token.Merge(SessionToken.None.Replace(grain, SessionMark.Pending(grain, 99, 17)));
        }

        Assert.Single(token.Of(19));
        Assert.Empty(token.Of(1));
        Assert.True(token.ToString().Length <= 86);
    }

    [Fact]
    public void Merging_keeps_the_later_of_each_grain_in_either_order()
    {
        var later = SessionToken.None.Replace(1, SessionMark.Led(1, new(Term with { Counter = 8 }, 3)))
            .Replace(2, SessionMark.Stored(2, 9));
        var earlier = SessionToken.None.Replace(1, SessionMark.Led(1, new(Term, 50))).Replace(2, SessionMark.Stored(2, 8));
        foreach (var merged in new[] { later.Merge(earlier), earlier.Merge(later), later.Merge(later) })
        {
            Assert.Equal([SessionMark.Led(1, new(Term with { Counter = 8 }, 3))], merged.Of(1));
            Assert.Equal([SessionMark.Stored(2, 9)], merged.Of(2));
        }
    }

    [Fact]
    public void What_a_call_found_confirmed_is_dropped_and_what_another_call_wrote_meanwhile_stays()
    {
        var sent = SessionToken.None.Replace(1, SessionMark.Pending(1, 99, 17));
        var meanwhile = sent.Merge(SessionToken.None.Replace(1, SessionMark.Pending(1, 98, 3)));
        var after = meanwhile.After(sent, SessionToken.None.Replace(1, SessionMark.Stored(1, 5)));
        Assert.Equal([SessionMark.Stored(1, 5), SessionMark.Pending(1, 98, 3)], after.Of(1));
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
}
