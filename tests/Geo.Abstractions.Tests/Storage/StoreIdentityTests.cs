using System.Text;
using Geo.Testing;
using Geo.Testing.Storage;

namespace Geo.Abstractions.Tests.Storage;

/// <summary>One identity a store, whatever outcomes are lost on the way to it.</summary>
public sealed class StoreIdentityTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Two_stores_have_two_identities()
    {
        var one = await EnsureAsync(new InMemoryConditionalStore());
        var other = await EnsureAsync(new InMemoryConditionalStore());

        Assert.NotEqual(one, other);
    }

    [Fact]
    public async Task A_store_is_waited_for_as_long_as_timers_can_where_more_is_given()
    {
        var proposal = Guid.NewGuid();

        Assert.Equal(
            proposal,
            await StoreIdentity.EnsureAsync(new InMemoryConditionalStore(), proposal, TimeProvider.System, TimeSpan.MaxValue, Stop));
    }

    [Fact]
    public async Task Everybody_finds_one_identity_through_a_store_that_loses_outcomes()
    {
        for (var seed = 0; seed < 300; seed++)
        {
            var time = new VirtualTime();
            var inner = new InMemoryConditionalStore();
            var faults =
                new StoreFaults { LostBefore = 0.25, LostAfter = 0.25, Delayed = 0.25, ReadLost = 0.3, MaxDelay = TimeSpan.FromSeconds(3) };
            var faulty = new FaultyConditionalStore(inner, faults, new Random(seed), time);

            var asked = Enumerable.Range(0, 4).Select(
                _ => StoreIdentity.EnsureAsync(faulty, Guid.NewGuid(), time, TimeSpan.FromHours(1), Stop)).ToArray();
            var found = await InTimeAsync(Task.WhenAll(asked), time);
            time.Advance(TimeSpan.FromSeconds(10));
            var stands = await inner.ReadAsync(StoreIdentity.Key, Stop);
            Assert.Equal(stands.Value.ToArray(), Encoding.ASCII.GetBytes(found[0].ToString("N")));
            Assert.Single(found.Distinct());
        }
    }

    [Fact]
    public async Task A_store_that_answers_unknown_is_given_up_after_the_time_out()
    {
        var time = new VirtualTime();
        var silent = new FaultyConditionalStore(new InMemoryConditionalStore(), new StoreFaults(), new Random(1), time)
        {
            Unreachable = true,
        };

        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
            () => InTimeAsync(StoreIdentity.EnsureAsync(silent, Guid.NewGuid(), time, Timeout, Stop), time));

        Assert.InRange(time.Elapsed, TimeSpan.FromSeconds(5), Timeout + TimeSpan.FromSeconds(1));
        Assert.Contains("within 10 s", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(7)]
    [InlineData(9.8)]
    public void A_store_that_is_back_within_the_time_out_is_found(double seconds)
    {
        var scheduler = new SimulationScheduler();
        scheduler.Run(async () =>
        {
            var away = new FaultyConditionalStore(new InMemoryConditionalStore(), new StoreFaults(), new Random(1), scheduler.Time)
            {
                Unreachable = true,
            };
            var store = new LatencyConditionalStore(away, TimeSpan.FromMilliseconds(10), scheduler.Time);
            var proposal = Guid.NewGuid();

            var asked = StoreIdentity.EnsureAsync(store, proposal, scheduler.Time, Timeout, Stop);
            await Task.Delay(TimeSpan.FromSeconds(seconds), scheduler.Time);
            away.Unreachable = false;

            Assert.Equal(proposal, await asked);
            Assert.InRange(scheduler.Time.Elapsed, TimeSpan.FromSeconds(seconds), Timeout);
        });
    }

    [Fact]
    public async Task A_store_that_never_answers_is_given_up_after_the_time_out()
    {
        var time = new VirtualTime();
        var mute = new LatencyConditionalStore(new InMemoryConditionalStore(), LatencyDistribution.Fixed(TimeSpan.FromDays(1)), time);

        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
            () => InTimeAsync(StoreIdentity.EnsureAsync(mute, Guid.NewGuid(), time, Timeout, Stop), time));

        Assert.Contains("did not answer", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_question_that_is_never_answered_is_given_up_for_the_next()
    {
        var time = new VirtualTime();
        var store = new LosesItsFirst();
        var proposal = Guid.NewGuid();

        Assert.Equal(proposal, await InTimeAsync(StoreIdentity.EnsureAsync(store, proposal, time, Timeout, Stop), time));

        Assert.InRange(time.Elapsed, TimeSpan.FromSeconds(1), Timeout - TimeSpan.FromSeconds(3));
        Assert.True(store.First.IsCancellationRequested);
    }

    [Fact]
    public async Task A_store_with_something_else_under_the_key_is_refused()
    {
        var store = new InMemoryConditionalStore();
        await store.WriteAsync(StoreIdentity.Key, "somebody's"u8.ToArray(), null, Stop);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => EnsureAsync(store));
        Assert.Contains(StoreIdentity.Key, refused.Message, StringComparison.Ordinal);
    }

    // Hears no token, as a call into a library that blocks.
    private sealed class LosesItsFirst() : StoreOver(new InMemoryConditionalStore())
    {
        public CancellationToken First { get; private set; }

        public override async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
        {
            if (First == default)
            {
                First = cancellationToken;
                await new TaskCompletionSource().Task;
            }

            return await base.ReadAsync(key, cancellationToken);
        }
    }

    private static Task<Guid> EnsureAsync(IConditionalStore store) =>
        StoreIdentity.EnsureAsync(store, Guid.NewGuid(), TimeProvider.System, Timeout, Stop);

    /// <summary>Lets time pass until the task has ended.</summary>
    private static async Task<T> InTimeAsync<T>(Task<T> task, VirtualTime time)
    {
        while (!task.IsCompleted)
        {
            Stop.ThrowIfCancellationRequested();
            time.Advance(TimeSpan.FromMilliseconds(50));
            await Task.Yield();
        }

        return await task;
    }
}
