using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Failures;

/// <summary>A silo serves until the first of its two clocks says that its lease has run out.</summary>
public sealed class LeaseClockTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_lease_runs_out_on_one_clock_while_the_other_stands_still(bool isSuspended)
    {
        var clock = new HalfStoppedClock();
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            Clusters = ["eu"],
            Silo = silo => silo.Services.AddSingleton<TimeProvider>(clock),
        });
        var spot = clusters.Grains("eu").GetGrain<ISpot>($"clock-{isSuspended}");
        var before = await spot.Where();
        var lease = clusters.SilosOf("eu")[0].Services.GetRequiredService<ILeaseGuard>();

        // Of a machine that is suspended the monotonic clock stands still; one that is set back makes the wall clock stand where it was.
        // No renewal gets through, as none is tried meanwhile; the timers go on, which only makes it harder.
        clusters.RowsOf("eu").Unreachable = true;
        clock.Stop(monotonic: isSuspended);
        await Eventually.Is(false, () => Task.FromResult(lease.MayServe));
        await Assert.ThrowsAsync<GeoUnavailableException>(spot.Where);

        clusters.RowsOf("eu").Unreachable = false;
        clock.GoOn();
        Assert.Equal(before, await Eventually.Succeeds(spot.Where));
        Assert.Single(Spot.Activations[$"clock-{isSuspended}"]);
    }

    [Fact]
    public async Task Callers_of_a_silo_that_stood_still_are_not_refused_but_answered_when_it_has_renewed_its_lease()
    {
        var clock = new HalfStoppedClock();
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["eu"],
            Silo = silo => silo.Services.AddSingleton<TimeProvider>(clock),
        });
        var spot = clusters.Grains("eu").GetGrain<ISpot>("clock-jumps");
        var before = await spot.Where();
        var lease = clusters.SilosOf("eu")[0].Services.GetRequiredService<ILeaseGuard>();
        var without = 0;
        for (var jump = 0; jump < 5; jump++)
        {
            clock.Jump(TimeSpan.FromMinutes(1));
            without += lease.MayServe ? 0 : 1;
            Assert.Equal(before, await spot.Where());
            Assert.True(lease.MayServe);
        }

        Assert.NotEqual(0, without);
        Assert.Single(Spot.Activations["clock-jumps"]);
    }

    /// <summary>The clocks of the machine, of which one may be made to stand still; timers are not concerned.</summary>
    private sealed class HalfStoppedClock : TimeProvider
    {
        private readonly Lock _lock = new();
        private (long Monotonic, TimeSpan Wall) _missing;
        private (long? Monotonic, DateTimeOffset? Wall) _stopped;

        public override long GetTimestamp()
        {
            lock (_lock)
            {
                return _stopped.Monotonic ?? (base.GetTimestamp() - _missing.Monotonic);
            }
        }

        public override DateTimeOffset GetUtcNow()
        {
            lock (_lock)
            {
                return _stopped.Wall ?? (base.GetUtcNow() - _missing.Wall);
            }
        }

        public void Stop(bool monotonic)
        {
            var (timestamp, now) = (GetTimestamp(), GetUtcNow());
            lock (_lock)
            {
                _stopped = monotonic ? (timestamp, null) : (null, now);
            }
        }

        /// <summary>As if nothing had run for so long on a machine that was suspended.</summary>
        public void Jump(TimeSpan time)
        {
            lock (_lock)
            {
                _missing.Wall -= time;
            }
        }

        public void GoOn()
        {
            lock (_lock)
            {
                _missing.Monotonic = _stopped.Monotonic is { } timestamp ? base.GetTimestamp() - timestamp : _missing.Monotonic;
                _missing.Wall = _stopped.Wall is { } now ? base.GetUtcNow() - now : _missing.Wall;
                _stopped = default;
            }
        }
    }
}
