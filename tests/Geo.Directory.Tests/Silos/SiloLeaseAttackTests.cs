using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

/// <summary>Ways to take a silo for gone while it has a lease.</summary>
public sealed class SiloLeaseAttackTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(6);

    private readonly SimulationScheduler _scheduler = new();
    private readonly InMemoryConditionalStore _rows = new();

    private VirtualTime Time => _scheduler.Time;

    /// <summary>
    /// A machine that starts with its wall clock far behind fences a silo off; another silo, whose clock is right, takes the fence for old.
    /// </summary>
    [Theory]
    [InlineData(-2, 0)]
    [InlineData(0, 2)]
    public void A_fence_of_a_silo_with_another_wall_clock_is_not_removed_while_the_lease_lasts(int fencersDays, int removersDays) =>
        _scheduler.Run(async () =>
        {
            var lease = new SiloLease(_rows, "node", "eu,us", Duration, Time, NullLogger.Instance);
            await lease.RenewAsync(CancellationToken.None);
            var fencersClock = new PausedClock(Time);
            fencersClock.SetWall(TimeSpan.FromDays(fencersDays));
            using var first = Fences(fencersClock);
            Assert.False(first.IsGone("node", isDead: true));
            await PassAsync(TimeSpan.FromMilliseconds(1));

            var removersClock = new PausedClock(Time);
            removersClock.SetWall(TimeSpan.FromDays(removersDays));
            await new OldFences(_rows, TimeSpan.FromDays(1), removersClock, NullLogger.Instance).RemoveAsync(CancellationToken.None);
            using var second = Fences(Time);
            Assert.False(second.IsGone("node", isDead: true));
            await PassAsync(TimeSpan.FromMilliseconds(1));

            Assert.True(lease.MayServe);
            Assert.False(second.IsGone("node", isDead: true));
        });

    /// <summary>docs/operations.md: "When the store answers again, the next renewal lets every silo serve what it has".</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    public void A_store_that_works_again_gives_the_lease_back_although_what_hung_in_it_never_ends(int minutes) => _scheduler.Run(async () =>
    {
        // As ClusterSilo makes it.
        var stuck = new StuckStore(_rows);
        var bounded = new BoundedStore(stuck, new(Duration / 3, 100), Time, NullLogger.Instance);
        var lease = new SiloLease(bounded, "node", "eu,us", Duration, Time, NullLogger.Instance);
        await lease.RenewAsync(CancellationToken.None);
        using var stop = new CancellationTokenSource();
        var renewing = lease.RenewUntilAsync(stop.Token);

        stuck.IsStuck = true;
        await PassAsync(TimeSpan.FromMinutes(minutes));
        Assert.False(lease.MayServe);
        stuck.IsStuck = false;
        await PassAsync(TimeSpan.FromMinutes(10));

        Assert.True(lease.MayServe);
        stop.Cancel();
        await renewing;
    });

    private SiloFences Fences(TimeProvider time)
    {
        var fences = new SiloFences(_rows, Duration, time, NullLogger.Instance);
        fences.Start();
        return fences;
    }

    private Task PassAsync(TimeSpan time) => Task.Delay(time, Time);
}
