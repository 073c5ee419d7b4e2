using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests;

/// <summary>The three outcomes of the store, followed up.</summary>
public sealed class DirectoryRowsTests
{
    private const string Key = "gsi/cart/1";
    private static readonly GsiEntry First = new() { State = GsiState.Requested, Node = "n", Round = 1 };
    private static readonly GsiEntry Second = new() { State = GsiState.Owned, Node = "n", Round = 1 };

    [Fact]
    public void A_write_of_unknown_outcome_that_took_effect_is_applied()
    {
        Run(async (rows, store) =>
        {
            var created = await AppliedAsync(rows, Row.None, First);
            store.Fault = OnceFrom(store, StoreFault.UnknownWithEffect);

            var written = await rows.ReplaceAsync(Key, created, Second, TestContext.Current.CancellationToken);

            Assert.Equal((RowWriteOutcome.Applied, Second), (written.Outcome, written.Row.Entry));
            await AppliedAsync(rows, written.Row, GsiEntry.Invalid);
        });
    }

    [Fact]
    public void A_write_of_unknown_outcome_without_effect_is_tried_again()
    {
        Run(async (rows, store) =>
        {
            var created = await AppliedAsync(rows, Row.None, First);
            store.Fault = OnceFrom(store, StoreFault.UnknownWithoutEffect);

            await AppliedAsync(rows, created, Second);
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_first_write_of_unknown_outcome_is_never_tried_again(int unknownOperations)
    {
        Run(async (rows, store) =>
        {
            store.Fault = n => n < unknownOperations ? StoreFault.UnknownWithLateEffect : StoreFault.None;

            var written = await rows.ReplaceAsync(Key, Row.None, First, TestContext.Current.CancellationToken);

            Assert.Equal(RowWriteOutcome.Lost, written.Outcome);
            Assert.Equal(unknownOperations + 1, store.Operations);
            Assert.Equal(GsiState.Invalid, store.Entry(new GrainKey("cart", "1")).State);
        });
    }

    [Fact]
    public void A_write_that_is_overtaken_is_lost()
    {
        Run(async (rows, store) =>
        {
            var created = await AppliedAsync(rows, Row.None, First);
            await AppliedAsync(rows, created, First with { State = GsiState.Loser });

            Assert.Equal(
                RowWriteOutcome.Lost, (await rows.ReplaceAsync(Key, created, Second, TestContext.Current.CancellationToken)).Outcome);
        });
    }

    [Fact]
    public void A_store_that_stays_silent_leaves_the_outcome_unknown_after_the_tries_allowed()
    {
        Run(async (rows, store) =>
        {
            var created = await AppliedAsync(rows, Row.None, First);
            var operations = store.Operations;
            store.Fault = _ => StoreFault.UnknownWithoutEffect;

            var written = await rows.ReplaceAsync(Key, created, Second, TestContext.Current.CancellationToken);
            var read = await rows.ReadAsync(Key, TestContext.Current.CancellationToken);

            const string Reason = "the store of the directory's rows does not answer (the test says so)";
            Assert.Equal((RowWriteOutcome.Unknown, Reason), (written.Outcome, written.Reason));
            Assert.Equal((Reason, false), (read.Unknown, read.IsDamaged));
            Assert.Equal(operations + 8 + 4, store.Operations);
        });
    }

    [Fact]
    public void A_delete_of_unknown_outcome_that_took_effect_is_applied()
    {
        Run(async (rows, store) =>
        {
            var created = await AppliedAsync(rows, Row.None, First);
            store.Fault = OnceFrom(store, StoreFault.UnknownWithEffect);

            Assert.Null((await AppliedAsync(rows, created, GsiEntry.Invalid)).ETag);
        });
    }

    private static Func<int, StoreFault> OnceFrom(FaultyStore store, StoreFault fault)
    {
        var operation = store.Operations;
        return n => n == operation ? fault : StoreFault.None;
    }

    private static async Task<Row> AppliedAsync(DirectoryRows rows, Row current, GsiEntry next)
    {
        var written = await rows.ReplaceAsync(Key, current, next, TestContext.Current.CancellationToken);
        Assert.Equal(RowWriteOutcome.Applied, written.Outcome);
        return written.Row;
    }

    private static void Run(Func<DirectoryRows, FaultyStore, Task> test)
    {
        var scheduler = new SimulationScheduler();
        var store = new FaultyStore(scheduler);
        using var metrics = new DirectoryMetrics(new ClusterId("eu"), () => default);
        var rows = new DirectoryRows(
            store, new GlobalDirectoryOptions(), scheduler.Time, metrics, new DamagedRows(metrics, NullLogger.Instance));
        scheduler.Run(() => test(rows, store));
    }
}
