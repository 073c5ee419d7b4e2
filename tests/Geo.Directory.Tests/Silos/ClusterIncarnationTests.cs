using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

public sealed class ClusterIncarnationTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    private readonly SimulationScheduler _scheduler = new();
    private readonly InMemoryConditionalStore _rows = new();
    private readonly SiblingNet _net;

    public ClusterIncarnationTests() => _net = new(_scheduler.Time);

    [Fact]
    public void A_silo_is_of_the_incarnation_of_a_living_one_and_alone_begins_the_next() => _scheduler.Run(async () =>
    {
        var first = await JoinAsync("eu/1");
        var second = await JoinAsync("eu/2");
        Assert.Equal((1, 1), (first.Value, second.Value));

        _net.Crash("eu/1");
        Assert.Equal(1, (await JoinAsync("eu/3")).Value);
        _net.Crash("eu/2");
        _net.Crash("eu/3");

        // The membership still counts them among the living.
        Assert.Equal(2, (await JoinAsync("eu/4")).Value);
    });

    [Fact]
    public void A_sibling_without_a_lease_does_not_count() => _scheduler.Run(async () =>
    {
        await JoinAsync("eu/1", holdsLease: false);

        Assert.Equal(2, (await JoinAsync("eu/2")).Value);
    });

    [Fact]
    public void Silos_that_start_together_over_the_rows_of_an_earlier_life_do_not_take_it_for_theirs() => _scheduler.Run(async () =>
    {
        await JoinAsync("eu/1");
        _net.Crash("eu/1");

        var together = await Task.WhenAll(JoinAsync("eu/2"), JoinAsync("eu/3"), JoinAsync("eu/4"));

        Assert.Equal([2L], together.Select(silo => silo.Value).Distinct());
    });

    [Fact]
    public void The_first_silos_of_all_that_start_together_are_of_a_life_that_ends_with_them() => _scheduler.Run(async () =>
    {
        var first = await Task.WhenAll(JoinAsync("eu/1"), JoinAsync("eu/2"));
        _net.Crash("eu/1");
        _net.Crash("eu/2");

        var next = await Task.WhenAll(JoinAsync("eu/3"), JoinAsync("eu/4"));

        Assert.Equal([1L, 1L, 2L, 2L], first.Concat(next).Select(silo => silo.Value));
    });

    [Fact]
    public void Who_passes_for_living_and_does_not_answer_is_unheard_until_it_does() => _scheduler.Run(async () =>
    {
        await JoinAsync("eu/1");
        _net.Crash("eu/1");
        var alive = await JoinAsync("eu/2");
        var starting = await JoinAsync("eu/3");
        Assert.True(starting.IsUnheard("eu/1"));
        Assert.False(starting.IsUnheard("eu/2"));

        var hearing = starting.HearAsync(CancellationToken.None);
        Assert.False(hearing.IsCompleted);
        _net.Return("eu/1");
        await hearing;
        Assert.False(starting.IsUnheard("eu/1"));
        Assert.True(alive.IsUnheard("eu/1"));
    });

    [Fact]
    public void An_answer_that_cannot_be_read_is_none_and_is_asked_for_again() => _scheduler.Run(async () =>
    {
        await JoinAsync("eu/1");
        _net.Crash("eu/1");
        var starting = await JoinAsync("eu/2");
        var hearing = starting.HearAsync(CancellationToken.None);
        _net.Garble("eu/1", garbles: true);
        _net.Return("eu/1");
        await Task.Delay(Patience * 5, _scheduler.Time);
        Assert.False(hearing.IsCompleted);

        _net.Garble("eu/1", garbles: false);
        await hearing;
        Assert.False(starting.IsUnheard("eu/1"));
    });

    [Fact]
    public void A_silo_that_a_new_life_has_left_behind_takes_it_up_as_soon_as_it_is_heard_again() => _scheduler.Run(async () =>
    {
        var left = await JoinAsync("eu/1");
        _net.Crash("eu/1");
        var starting = await JoinAsync("eu/2");
        Assert.Equal((1, 2), (left.Value, starting.Value));

        var hearing = starting.HearAsync(CancellationToken.None);
        await Task.Delay(Patience * 5, _scheduler.Time);
        Assert.False(hearing.IsCompleted);
        _net.Return("eu/1");
        await Task.Delay(Patience * 3, _scheduler.Time);

        Assert.Equal(2, left.Value);
        Assert.True(hearing.IsCompleted);
    });

    [Fact]
    public void A_silo_that_answers_out_of_an_earlier_life_is_told_of_the_one_that_is_begun() => _scheduler.Run(async () =>
    {
        var left = await JoinAsync("eu/1");
        _net.Crash("eu/1");
        await JoinAsync("eu/2");
        _net.Return("eu/1");
        _net.Crash("eu/2");

        // All that still live are of the first life, and the second one is over.
        var starting = await JoinAsync("eu/3");
        Assert.Equal((1, 3), (left.Value, starting.Value));
        _net.Declare("eu/2", SiloState.Dead);
        await starting.HearAsync(CancellationToken.None);

        Assert.Equal(3, left.Value);
        Assert.Equal(3, (await JoinAsync("eu/4")).Value);
    });

    [Fact]
    public void Who_joins_an_earlier_life_than_one_begins_beside_it_is_told_of_that_and_tells_all() => _scheduler.Run(async () =>
    {
        var left = await JoinAsync("eu/1");
        _net.Cut("eu/1", "eu/3");
        var (joining, beginning) = (Incarnation("eu/2", holdsLease: true), Incarnation("eu/3", holdsLease: true));

        // The one asks the other while that is in no life yet, and does not hear the first.
        var begun = beginning.JoinAsync(CancellationToken.None);
        await joining.JoinAsync(CancellationToken.None);
        await begun;
        Assert.Equal((1, 1, 2), (left.Value, joining.Value, beginning.Value));
        _ = beginning.HearAsync(CancellationToken.None);
        await Task.Delay(Patience * 3, _scheduler.Time);

        Assert.Equal((2, 2), (left.Value, joining.Value));
    });

    [Fact]
    public void A_silo_without_its_lease_takes_the_new_life_up_too_and_does_not_count_as_living_in_it() => _scheduler.Run(async () =>
    {
        var guard = new LooseGuard { MayServe = true };
        var left = Incarnation("eu/1", guard);
        await left.JoinAsync(CancellationToken.None);
        guard.MayServe = false;

        var starting = await JoinAsync("eu/2");
        Assert.Equal((1, 2), (left.Value, starting.Value));
        await starting.HearAsync(CancellationToken.None);
        Assert.Equal(2, left.Value);

        _net.Crash("eu/2");
        Assert.Equal(3, (await JoinAsync("eu/3")).Value);
    });

    [Fact]
    public void A_sibling_that_stood_still_and_is_about_to_renew_its_lease_counts_as_living() => _scheduler.Run(async () =>
    {
        var guard = new LooseGuard { MayServe = true };
        var paused = Incarnation("eu/1", guard);
        await paused.JoinAsync(CancellationToken.None);
        guard.MayServe = false;
        guard.Renewing = Task.Delay(Patience / 4, _scheduler.Time);
        _ = guard.Renewing.ContinueWith(_ => guard.MayServe = true, TaskContinuationOptions.ExecuteSynchronously);

        Assert.Equal(1, (await JoinAsync("eu/2")).Value);
    });

    [Fact]
    public void A_sibling_whose_renewal_does_not_end_answers_in_time_that_it_does_not_count() => _scheduler.Run(async () =>
    {
        var guard = new LooseGuard { MayServe = true };
        var paused = Incarnation("eu/1", guard);
        await paused.JoinAsync(CancellationToken.None);
        (guard.MayServe, guard.Renewing) = (false, new TaskCompletionSource().Task);

        var starting = await JoinAsync("eu/2");
        Assert.Equal(2, starting.Value);
        Assert.False(starting.IsUnheard("eu/1"));
        Assert.InRange(_scheduler.Time.Elapsed, TimeSpan.Zero, Patience);
    });

    [Fact]
    public void A_silo_that_has_answered_the_start_and_misses_a_later_question_is_not_unheard() => _scheduler.Run(async () =>
    {
        var guard = new LooseGuard { MayServe = true };
        var left = Incarnation("eu/1", guard);
        await left.JoinAsync(CancellationToken.None);
        guard.MayServe = false;
        var starting = await JoinAsync("eu/2");
        _net.Crash("eu/1");

        var hearing = starting.HearAsync(CancellationToken.None);
        await Task.Delay(Patience * 2.5, _scheduler.Time);
        Assert.False(starting.IsUnheard("eu/1"));

        _net.Return("eu/1");
        await hearing;
        Assert.Equal(2, left.Value);
    });

    [Fact]
    public void A_life_that_is_not_certain_to_begin_is_not_taken_up() => _scheduler.Run(async () =>
    {
        var siblings = _net.Join("eu/2");
        var living = await JoinAsync("eu/1");
        _net.Crash("eu/1");
        using var beginning = new ClusterIncarnation(
            new NeverWritten(_rows), siblings, siblings, new Guard(true), Patience, _scheduler.Time, NullLogger.Instance);
        var joining = beginning.JoinAsync(CancellationToken.None);
        await Task.Delay(Patience * 1.5, _scheduler.Time);
        _net.Return("eu/1");

        _ = living.HearAsync(CancellationToken.None);
        await Task.Delay(Patience * 3, _scheduler.Time);

        Assert.False(joining.IsCompleted);
        Assert.Equal(1, living.Value);
    });

    [Fact]
    public void A_damaged_row_ends_the_start_and_is_left_as_it_is() => _scheduler.Run(async () =>
    {
        byte[] damaged = [0x80];
        await _rows.WriteAsync(ClusterIncarnation.Key, damaged, null, CancellationToken.None);

        var refused = await Assert.ThrowsAsync<GeoSerializationException>(() => JoinAsync("eu/1"));

        Assert.Contains($"'{ClusterIncarnation.Key}'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Stop all silos", refused.Message, StringComparison.Ordinal);
        Assert.Equal(damaged, (await _rows.ReadAsync(ClusterIncarnation.Key, CancellationToken.None)).Value.ToArray());
    });

    [Fact]
    public void A_store_that_does_not_answer_ends_the_start() => _scheduler.Run(async () =>
    {
        var rows = new UnansweringStore();
        var siblings = _net.Join("eu/1");
        using var incarnation = new ClusterIncarnation(
            rows, siblings, siblings, new Guard(true), Patience, _scheduler.Time, NullLogger.Instance);

        await Assert.ThrowsAsync<GeoUnavailableException>(() => incarnation.JoinAsync(CancellationToken.None));
    });

    private async Task<ClusterIncarnation> JoinAsync(string node, bool holdsLease = true)
    {
        var incarnation = Incarnation(node, holdsLease);
        await incarnation.JoinAsync(CancellationToken.None);
        return incarnation;
    }

    private ClusterIncarnation Incarnation(string node, bool holdsLease) => Incarnation(node, new Guard(holdsLease));

    private ClusterIncarnation Incarnation(string node, ILeaseGuard guard)
    {
        var siblings = _net.Join(node);
        return new ClusterIncarnation(_rows, siblings, siblings, guard, Patience, _scheduler.Time, NullLogger.Instance);
    }

    private sealed record Guard(bool MayServe) : ILeaseGuard;

    /// <summary>Never ends a write, which is not known to be written then.</summary>
    private sealed class NeverWritten(IConditionalStore inner) : StoreOver(inner)
    {
        public override ValueTask<StoreWrite> WriteAsync(
            string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
            new(new TaskCompletionSource<StoreWrite>().Task);
    }

    private sealed class LooseGuard : ILeaseGuard
    {
        public bool MayServe { get; set; }

        /// <summary>The renewal that is overdue.</summary>
        public Task Renewing { get; set; } = Task.CompletedTask;

        public async ValueTask<bool> MayServeSoonAsync()
        {
            await Renewing;
            return MayServe;
        }
    }
}
