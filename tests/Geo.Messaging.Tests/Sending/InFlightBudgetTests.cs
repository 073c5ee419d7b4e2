namespace Geo.Messaging.Tests;

public sealed class InFlightBudgetTests
{
    private const long Min = 4_000_000;
    private const long Max = 64_000_000;
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(20);

    private readonly InFlightBudget _budget = new(Min, Max);
    private TimeSpan _now;

    [Fact]
    public void It_doubles_a_round_at_a_time_while_it_is_used_up_and_the_round_trip_stays_minimal()
    {
        Assert.Equal(Min, _budget.Bytes);
        List<long> seen = [];
        for (var i = 0; i < 100; i++)
        {
            Probe(RoundTrip);
            if (seen.LastOrDefault() != _budget.Bytes)
            {
                seen.Add(_budget.Bytes);
            }
        }

        Assert.Equal([Min, 2 * Min, 4 * Min, 8 * Min, Max], seen);
    }

    [Fact]
    public void A_budget_that_is_not_used_up_does_not_grow()
    {
        for (var i = 0; i < 100; i++)
        {
            Probe(RoundTrip, isLimiting: false);
        }

        Assert.Equal(Min, _budget.Bytes);
    }

    [Theory]
    [InlineData(true, 6.5)]
    [InlineData(false, 9.5)]
    public void It_settles_where_the_queue_that_it_makes_is_as_long_as_may_be(bool smallMessages, double leastMegabytes)
    {
        // A path that carries 300 MB/s: what is on the way beyond its 6 MB waits in its queue.
        for (var i = 0; i < 6000; i++)
        {
            Probe(TimeSpan.FromSeconds(Math.Max(RoundTrip.TotalSeconds, _budget.Bytes / 300e6)), smallMessages: smallMessages);
        }

        var queued = TimeSpan.FromSeconds(_budget.Bytes / 300e6) - RoundTrip;
        Assert.InRange(queued, TimeSpan.Zero, smallMessages ? RoundTrip * 0.2 : (RoundTrip * 1.2) + TimeSpan.FromMilliseconds(20));
        Assert.InRange(_budget.Bytes / 1e6, smallMessages ? leastMegabytes - 1 : leastMegabytes, 30);
    }

    [Fact]
    public void It_never_leaves_its_bounds()
    {
        var random = new Random(5);
        for (var i = 0; i < 10_000; i++)
        {
            Probe(TimeSpan.FromMilliseconds(random.NextDouble() * (i < 5_000 ? 20 : 2_000)), smallMessages: random.Next(2) == 0);
            Assert.InRange(_budget.Bytes, Min, Max);
        }
    }

    [Fact]
    public void A_longer_path_is_learnt_once_the_old_minimum_is_old()
    {
        for (var i = 0; i < 200; i++)
        {
            Probe(TimeSpan.FromMilliseconds(5));
        }

        for (var i = 0; i < 6000; i++)
        {
            Probe(TimeSpan.FromMilliseconds(100));
        }

        Assert.Equal(TimeSpan.FromMilliseconds(100), _budget.MinimalRoundTrip);
        Assert.Equal(Max, _budget.Bytes);
    }

    private void Probe(TimeSpan roundTrip, bool isLimiting = true, bool smallMessages = false)
    {
        _now += roundTrip / 8;
        if (isLimiting)
        {
            _budget.NoteLimiting();
        }

        _budget.NoteProbe(_now, roundTrip, smallMessages);
    }
}
