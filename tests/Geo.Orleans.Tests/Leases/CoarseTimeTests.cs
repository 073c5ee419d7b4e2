namespace Geo.Orleans.Tests.Leases;

public sealed class CoarseTimeTests
{
    [Fact]
    public void A_lease_reads_the_systems_clocks_coarsely_where_the_margin_of_a_fence_covers_it()
    {
        Assert.IsType<CoarseTime>(CoarseTime.For(TimeProvider.System, TimeSpan.FromSeconds(6)));
        Assert.Same(TimeProvider.System, CoarseTime.For(TimeProvider.System, TimeSpan.FromMilliseconds(100)));
        var own = new Own();
        Assert.Same(own, CoarseTime.For(own, TimeSpan.FromSeconds(6)));
    }

    [Fact]
    public void It_is_never_ahead_and_at_most_its_lag_behind()
    {
        // Both count from the same moment on Linux alone.
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The exact clock counts from another moment here.");
        var coarse = CoarseTime.For(TimeProvider.System, TimeSpan.FromSeconds(6));
        for (var i = 0; i < 100_000; i++)
        {
            var before = Now(TimeProvider.System);
            var read = Now(coarse);
            var after = Now(TimeProvider.System);

            Assert.InRange(read, before - CoarseTime.Lag, after);
        }

        static TimeSpan Now(TimeProvider time) => time.GetElapsedTime(0, time.GetTimestamp());
    }

    private sealed class Own : TimeProvider;
}
