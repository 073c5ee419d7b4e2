using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Orleans.Tests.Leases;

/// <summary>A silo and those who fence it off, in virtual time.</summary>
public sealed class SiloLeaseTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(6);

    private readonly VirtualTime _time = new();
    private readonly InMemoryConditionalStore _rows = new();

    // Whatever waits for virtual time goes on inside Advance.
    public SiloLeaseTests() => SynchronizationContext.SetSynchronizationContext(null);

    [Fact]
    public async Task A_lease_runs_out_when_it_is_not_renewed_and_comes_back_with_the_next_renewal()
    {
        var lease = Lease();
        Assert.False(lease.IsHeld);

        await lease.RenewAsync(CancellationToken.None);
        _time.Advance(Duration - TimeSpan.FromTicks(1));
        Assert.True(lease.IsHeld);
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.False(lease.IsHeld);

        await lease.RenewAsync(CancellationToken.None);
        Assert.True(lease.IsHeld);
    }

    [Fact]
    public async Task A_frozen_silo_has_no_lease_by_the_time_its_grains_can_be_taken_over_and_never_gets_one_again()
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = new SiloFences(_rows, Duration, _time, NullLogger.Instance);

        while (!fences.IsGone("node", isDead: true))
        {
            Assert.True(_time.Elapsed < Duration * 2);
            _time.Advance(TimeSpan.FromMilliseconds(100));
        }

        Assert.False(lease.IsHeld);
        await lease.RenewAsync(CancellationToken.None);
        Assert.False(lease.IsHeld);
        Assert.True(lease.IsFenced);
    }

    [Fact]
    public async Task A_silo_that_renews_just_before_the_fence_has_run_out_when_the_wait_ends()
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = new SiloFences(_rows, Duration, _time, NullLogger.Instance);

        Assert.False(fences.IsGone("node", isDead: true));
        _time.Advance(Duration - TimeSpan.FromTicks(1));
        Assert.True(lease.IsHeld);
        Assert.False(fences.IsGone("node", isDead: true));
        _time.Advance(Duration);

        Assert.True(fences.IsGone("node", isDead: true));
        Assert.False(lease.IsHeld);
    }

    [Fact]
    public async Task A_silo_that_the_membership_does_not_know_yet_is_not_fenced_while_it_renews()
    {
        var lease = Lease();
        await lease.RenewAsync(CancellationToken.None);
        using var fences = new SiloFences(_rows, Duration, _time, NullLogger.Instance);

        for (var second = 0; second < 60; second++)
        {
            Assert.False(fences.IsGone("node", isDead: false));
            _time.Advance(TimeSpan.FromSeconds(1));
            await lease.RenewAsync(CancellationToken.None);
        }

        Assert.True(lease.IsHeld);
    }

    [Fact]
    public async Task A_silo_that_nobody_knows_any_more_is_gone_after_two_waits()
    {
        await Lease().RenewAsync(CancellationToken.None);
        using var fences = new SiloFences(_rows, Duration, _time, NullLogger.Instance);

        Assert.False(fences.IsGone("node", isDead: false));
        _time.Advance(Duration * 1.1);
        Assert.False(fences.IsGone("node", isDead: false));
        _time.Advance(Duration * 1.1);

        Assert.True(fences.IsGone("node", isDead: false));
    }

    private SiloLease Lease() => new(_rows, "node", Duration, _time, NullLogger.Instance);
}
