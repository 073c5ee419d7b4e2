namespace Geo.Directory.Tests.Homes;

/// <summary>When a grain moves to its home, and how often at most; in a model of two clusters and in virtual time.</summary>
public sealed class HomeRulesTests
{
    private static readonly ClusterId Us = new("us"), Eu = new("eu"), Asia = new("asia");

    private static readonly HomeDeclaration Follows = new(HomePolicy.FollowsCallers, default), InEu = new(HomePolicy.PreferredCluster, Eu);

    [Fact]
    public void A_grain_goes_to_its_preferred_cluster_at_the_second_look_that_finds_it_there()
    {
        var state = new HomeState();
        Assert.Equal(default, Look(ref state, InEu, isReady: false, at: 0));
        Assert.Equal(default, Look(ref state, InEu, isReady: true, at: 1));
        Assert.Equal(default, Look(ref state, InEu, isReady: false, at: 2));
        Assert.Equal(default, Look(ref state, InEu, isReady: true, at: 3));
        Assert.Equal(Eu, Look(ref state, InEu, isReady: true, at: 4));
    }

    [Fact]
    public void A_grain_whose_move_has_failed_stays_for_a_minute()
    {
        var state = new HomeState();
        Look(ref state, InEu, isReady: true, at: 0);
        Assert.Equal(Eu, Look(ref state, InEu, isReady: true, at: 1));
        for (var at = 2; at < 61; at++)
        {
            Assert.Equal(default, Look(ref state, InEu, isReady: true, at));
        }

        Assert.Equal(Eu, Look(ref state, InEu, isReady: true, at: 61));
    }

    [Fact]
    public void A_grain_in_its_preferred_cluster_stays()
    {
        var state = new HomeState();
        for (var at = 0; at < 10; at++)
        {
            (state, var to) = HomeRules.Look(state, InEu, Eu, [], _ => true, TimeSpan.FromSeconds(at));
            Assert.Equal(default, to);
        }
    }

    [Theory]
    [InlineData(0, 19, 0, null)]
    [InlineData(0, 20, 0, "eu")]
    [InlineData(20, 40, 0, null)]
    [InlineData(20, 59, 0, "eu")]
    [InlineData(200, 443, 0, null)]
    [InlineData(200, 459, 0, "eu")]
    [InlineData(20, 60, 65, "asia")]
    [InlineData(1000, 20, 30, null)]
    public void A_grain_follows_the_cluster_with_the_most_calls_if_those_are_surely_twice_ours(int us, int eu, int asia, string? to)
    {
        var state = new HomeState();
        CallerCount[] calls = [new(Us, us), new(Eu, eu), new(Asia, asia)];
        Assert.Equal(default, Look(ref state, Follows, isReady: true, at: 0, calls));
        Assert.Equal(to is null ? default : new ClusterId(to), Look(ref state, Follows, isReady: true, at: 1, calls));
    }

    [Fact]
    public void A_grain_follows_no_cluster_that_two_looks_do_not_agree_on()
    {
        var state = new HomeState();
        for (var at = 0; at < 20; at++)
        {
            CallerCount[] calls = [new(Us, 0), new(at % 2 == 0 ? Eu : Asia, 50)];
            Assert.Equal(default, Look(ref state, Follows, isReady: true, at, calls));
        }
    }

    [Fact]
    public void Counts_fade_and_have_room_for_any_number_of_clusters()
    {
        var slots = new CallerSlots(Us);
        var counts = new CallerCounts(slots);
        for (var i = 0; i < 100; i++)
        {
            counts.Note(new ClusterId($"c{i}"));
            counts.Note(default);
        }

        var room = new CallerCount[CallerSlots.Most];
        var read = counts.Read(room).ToArray();
        Assert.Equal(new(Us, 100), read[0]);
        Assert.All(read.Skip(1), count => Assert.Equal(1, count.Calls));
        Assert.InRange(read.Length, 2, CallerSlots.Most - 1);
        counts.Fade();
        Assert.Equal(50, counts.Read(room)[0].Calls);
        for (var i = 0; i < 10; i++)
        {
            counts.Fade();
        }

        Assert.InRange(counts.Read(room)[0].Calls, 1, HomeRules.Full);
    }

    [Fact]
    public void A_call_that_is_counted_allocates_nothing()
    {
        var counts = new CallerCounts(new CallerSlots(Us));
        counts.Note(Eu);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1000; i++)
        {
            counts.Note(Eu);
            counts.Note(default);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    [Theory]
    [InlineData(2)]
    [InlineData(20)]
    [InlineData(1000)]
    public void Evenly_called_a_grain_moves_at_most_once_a_minute_and_seldom(int callsPerSecond)
    {
        var all = 0;
        for (var seed = 0; seed < 20; seed++)
        {
            var moves = Moves(seed, callsPerSecond, minutes: 30, _ => 0.5);
            Assert.All(moves.Zip(moves.Skip(1)), pair => Assert.True(pair.Second - pair.First >= HomeRules.Stay));
            all += moves.Count;
        }

        // Once a minute would be 600.
        Assert.InRange(all, 0, 60);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(90)]
    public void Callers_that_shift_all_the_time_move_a_grain_at_most_once_a_minute(int secondsPerShift)
    {
        for (var seed = 0; seed < 20; seed++)
        {
            var moves = Moves(seed, callsPerSecond: 100, minutes: 30, at => (int)(at.TotalSeconds / secondsPerShift) % 2);
            Assert.All(moves.Zip(moves.Skip(1)), pair => Assert.True(pair.Second - pair.First >= HomeRules.Stay));
            Assert.True(secondsPerShift < 90 || moves.Count > 15);
        }
    }

    [Theory]
    [InlineData(50)]
    [InlineData(200)]
    [InlineData(5000)]
    public void At_a_locality_of_nine_in_ten_a_grain_is_where_its_callers_are_two_and_a_half_seconds_after_they_shift(int callsPerSecond)
    {
        var shift = TimeSpan.FromSeconds(100.3);
        for (var seed = 0; seed < 50; seed++)
        {
            var move = Assert.Single(Moves(seed, callsPerSecond, minutes: 5, at => at < shift ? 0.1 : 0.9));
            Assert.InRange(move - shift, TimeSpan.Zero, TimeSpan.FromSeconds(2.5));
        }
    }

    private static ClusterId Look(ref HomeState state, HomeDeclaration home, bool isReady, int at, CallerCount[]? calls = null)
    {
        (state, var to) = HomeRules.Look(state, home, Us, calls ?? [], _ => isReady, TimeSpan.FromSeconds(at));
        return to;
    }

    /// <summary>When a grain that is first called in us moves.</summary>
    /// <param name="seed">Decides who makes each call.</param>
    /// <param name="callsPerSecond">How many.</param>
    /// <param name="minutes">For how long.</param>
    /// <param name="shareOfEu">The part of the calls that come from eu, at a time.</param>
    private static List<TimeSpan> Moves(int seed, int callsPerSecond, int minutes, Func<TimeSpan, double> shareOfEu)
    {
        var random = new Random(seed);
        var moves = new List<TimeSpan>();
        var (local, state) = (Us, new HomeState());
        var counts = new CallerCounts(new CallerSlots(local));
        var room = new CallerCount[CallerSlots.Most];
        var due = random.NextDouble();
        for (var now = TimeSpan.Zero; now < TimeSpan.FromMinutes(minutes); now += HomeRules.Interval)
        {
            for (due += callsPerSecond * HomeRules.Interval.TotalSeconds; due >= 1; due--)
            {
                counts.Note(random.NextDouble() < shareOfEu(now) ? Eu : Us);
            }

            (state, var to) = HomeRules.Look(state, Follows, local, counts.Read(room), _ => true, now);
            counts.Fade();
            if (!to.IsNone)
            {
                moves.Add(now);
                (local, counts) = (to, new(new CallerSlots(to)));
                state = new(default, 0, HomeRules.StaysUntil(now));
            }
        }

        return moves;
    }
}
