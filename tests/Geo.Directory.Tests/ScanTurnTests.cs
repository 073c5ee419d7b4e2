using Geo.Directory.Tests.Silos;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests;

/// <summary>One silo of a cluster scans at a time; whatever the row of the turn says, scans go on.</summary>
public sealed class ScanTurnTests
{
    private const string Row = "turn";
    private static readonly GlobalDirectoryOptions Options = new() { ScanTurn = TimeSpan.FromSeconds(30) };

    [Fact]
    public void A_turn_is_taken_once_for_a_time_and_again_for_a_later_one()
    {
        Run(async (scheduler, store) =>
        {
            var (one, two) = (Turn(store, scheduler), Turn(store, scheduler));
            var since = scheduler.Time.GetUtcNow();

            Assert.Null(await one.TryTakeAsync(since, TestContext.Current.CancellationToken));
            Assert.NotNull(await two.TryTakeAsync(since, TestContext.Current.CancellationToken));
            await one.EndAsync(TestContext.Current.CancellationToken);
            Assert.NotNull(await two.TryTakeAsync(since, TestContext.Current.CancellationToken));
            await Task.Delay(TimeSpan.FromSeconds(1), scheduler.Time);
            Assert.Null(await two.TryTakeAsync(scheduler.Time.GetUtcNow(), TestContext.Current.CancellationToken));
        });
    }

    [Fact]
    public void A_silo_that_was_silent_for_too_long_has_lost_its_turn_and_one_that_was_not_has_it()
    {
        Run(async (scheduler, store) =>
        {
            var (one, two) = (Turn(store, scheduler), Turn(store, scheduler));
            Assert.Null(await one.TryTakeAsync(scheduler.Time.GetUtcNow(), TestContext.Current.CancellationToken));
            for (var i = 0; i < 10; i++)
            {
                await Task.Delay(TimeSpan.FromSeconds(20), scheduler.Time);
                Assert.True(await one.KeepAsync(TestContext.Current.CancellationToken));
                Assert.NotNull(await two.TryTakeAsync(scheduler.Time.GetUtcNow(), TestContext.Current.CancellationToken));
            }

            await Task.Delay(TimeSpan.FromSeconds(31), scheduler.Time);
            Assert.Null(await two.TryTakeAsync(scheduler.Time.GetUtcNow(), TestContext.Current.CancellationToken));
            Assert.False(await one.KeepAsync(TestContext.Current.CancellationToken));
            Assert.True(await two.KeepAsync(TestContext.Current.CancellationToken));
        });
    }

    [Fact]
    public void A_row_from_a_clock_far_ahead_or_a_damaged_one_binds_nobody()
    {
        Run(async (scheduler, store) =>
        {
            var ahead = new byte[16];
            BitConverter.TryWriteBytes(ahead, scheduler.Time.GetUtcNow().AddDays(1).UtcTicks);
            BitConverter.TryWriteBytes(ahead.AsSpan(8), scheduler.Time.GetUtcNow().AddDays(1).UtcTicks);
            foreach (var row in new[] { ahead, [1, 2, 3], [.. Enumerable.Repeat((byte)0xff, 16)] })
            {
                var read = await store.ReadAsync(Row, TestContext.Current.CancellationToken);
                await store.WriteAsync(Row, row, read.ETag, TestContext.Current.CancellationToken);

                Assert.Null(await Turn(store, scheduler).TryTakeAsync(scheduler.Time.GetUtcNow(), TestContext.Current.CancellationToken));
            }
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_renewal_of_unknown_outcome_does_not_end_the_scan(bool withEffect)
    {
        Run(async (scheduler, inner) =>
        {
            var store = new SimulatedStore(inner, scheduler, new ChoiceTape("rows", new Random(1)), "rows");
            var turn = new ScanTurn(Row, store, Options, scheduler.Time);
            Assert.Null(await turn.TryTakeAsync(scheduler.Time.GetUtcNow(), TestContext.Current.CancellationToken));
            await Task.Delay(TimeSpan.FromSeconds(20), scheduler.Time);
            if (withEffect)
            {
                store.Options.LostReplies = 1;
            }
            else
            {
                store.Options.LostRequests = 1;
            }

            Assert.True(await turn.KeepAsync(TestContext.Current.CancellationToken));
            store.Options.LostReplies = store.Options.LostRequests = 0;
            Assert.True(await turn.KeepAsync(TestContext.Current.CancellationToken));
            Assert.True(await turn.KeepAsync(TestContext.Current.CancellationToken));
        });
    }

    [Theory]
    [InlineData(10)]
    [InlineData(100)]
    public void Scans_go_on_when_the_clock_is_set_back_during_one(int days)
    {
        Run(async (scheduler, store) =>
        {
            var clock = new PausedClock(scheduler.Time);
            using var stop = new CancellationTokenSource();
            var scans = 0;
            var loop = new ScanLoop("test", new ScanTurn(Row, store, Options, clock), Scan, Options, clock, NullLogger.Instance);
            var running = loop.RunAsync(stop.Token);
            await Task.Delay(Options.ScanInterval * 5, scheduler.Time);

            Assert.InRange(scans, 5, 7);
            Assert.False(running.IsCompleted);
            stop.Cancel();

            Task Scan(ScanTurn turn, CancellationToken cancellationToken)
            {
                clock.SetWall(TimeSpan.FromDays(-days));
                scans++;
                return Task.CompletedTask;
            }
        });
    }

    private static ScanTurn Turn(InMemoryConditionalStore store, SimulationScheduler scheduler) => new(Row, store, Options, scheduler.Time);

    private static void Run(Func<SimulationScheduler, InMemoryConditionalStore, Task> test)
    {
        var scheduler = new SimulationScheduler();
        scheduler.Run(() => test(scheduler, new InMemoryConditionalStore()));
    }
}
