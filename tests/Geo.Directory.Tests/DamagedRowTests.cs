using Microsoft.Extensions.Logging;

namespace Geo.Directory.Tests;

/// <summary>
/// A row that nobody can read binds its own grain and holds nothing else up; whoever meets it is told which, and what to do.
/// </summary>
public sealed class DamagedRowTests
{
    private static readonly GrainKey Damaged = new("cart", "05");

    [Fact]
    public void A_list_goes_on_behind_rows_that_cannot_be_read()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await FillAsync(silos[0]);

            var page = await silos[0].Directory.Administration.ListAsync(new(), TestContext.Current.CancellationToken);

            Assert.Equal(["00", "01", "02", "03", "04", "06", "07", "08", "09"], page.Rows.Select(row => row.Key.Key));
            var damaged = Assert.Single(page.Damaged);
            Assert.Equal("gsi/cart/05", damaged.RowKey);
            Assert.Contains("Restore it", damaged.Reason, StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(6)]
    [InlineData(12)]
    public void Pages_of_any_size_tell_of_each_row_and_each_damaged_one_once(int pageSize)
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await FillAsync(silos[0]);
            await silos[0].Rows.Inner.WriteAsync("gsi/cart", new byte[] { 1 }, null);
            await silos[0].Rows.Inner.WriteAsync("gsi/cart/99", new byte[] { 1 }, null);
            var administration = silos[0].Directory.Administration;
            List<string> rows = [];
            List<string> damaged = [];
            string? next = null;
            do
            {
                var page = await administration.ListAsync(
                    new() { State = GsiState.Owned, PageSize = pageSize, After = next }, TestContext.Current.CancellationToken);
                Assert.InRange(page.Rows.Count + page.Damaged.Count, 1, pageSize);
                rows.AddRange(page.Rows.Select(row => row.Key.Key));
                damaged.AddRange(page.Damaged.Select(row => row.RowKey));
                next = page.Next;
            }
            while (next is not null);

            Assert.Equal(["00", "01", "02", "03", "04", "06", "07", "08", "09"], rows);
            Assert.Equal(["gsi/cart", "gsi/cart/05", "gsi/cart/99"], damaged);
        });
    }

    [Fact]
    public void Who_calls_asks_or_looks_at_the_grain_is_told_which_row_is_damaged_and_what_to_do()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await FillAsync(silos[0]);
            var ended = TestContext.Current.CancellationToken;

            Func<Task>[] asked =
            [
                () => silos[0].CallAsync(Damaged),
                () => silos[0].Directory.LookupAsync(Damaged, ended).AsTask(),
                () => silos[0].Directory.FindHereAsync(Damaged, ended).AsTask(),
                () => silos[0].Directory.MoveAsync(Damaged, "eu/2", silos[0].Node, cancellationToken: ended).AsTask(),
                () => silos[0].Directory.Administration.InspectAsync(Damaged, ended).AsTask(),
                () => silos[0].Directory.Administration.ReleaseAsync(Damaged, "the test says so", ended).AsTask(),
                () => silos[1].CallAsync(Damaged, SingleInstanceMode.Pessimistic),
            ];
            foreach (var ask in asked)
            {
                var refused = await Assert.ThrowsAsync<GeoUnavailableException>(ask);
                Assert.Contains("row 'gsi/cart/05'", refused.Message, StringComparison.Ordinal);
                Assert.Contains("damaged", refused.Message, StringComparison.Ordinal);
                Assert.Contains("Restore it", refused.Message, StringComparison.Ordinal);
            }

            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(new GrainKey("cart", "06"))).Kind);
        });
    }

    [Fact]
    public void A_row_that_stays_damaged_is_logged_once_however_often_it_is_met()
    {
        var log = new LogLines();
        var world = new World { Log = log };
        World.Run(world, async silos =>
        {
            await FillAsync(silos[0]);
            await silos[0].Rows.Inner.WriteAsync(DoubtfulIndex.KeyOf(Damaged), new byte[] { 1 }, null);
            await silos[0].Rows.Inner.WriteAsync(DoubtfulIndex.Prefix + "damaged", new byte[] { 1 }, null);

            await world.PassAsync(world.Options.ScanInterval * 10);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Damaged));
            _ = await silos[0].Directory.Administration.ListAsync(new(), TestContext.Current.CancellationToken);

            var told = log.Lines.Where(l => l.Level >= LogLevel.Warning).Select(l => l.Line).ToArray();
            Assert.Single(told, line => line.Contains("gsi/cart/05", StringComparison.Ordinal));
            Assert.Single(told, line => line.Contains("gsd/damaged", StringComparison.Ordinal));
            Assert.Equal(2, told.Length);
        });
    }

    [Fact]
    public void A_row_that_has_been_repaired_serves_at_once()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            await FillAsync(silos[0]);
            await Assert.ThrowsAsync<GeoUnavailableException>(() => silos[0].CallAsync(Damaged));

            var rowKey = DirectoryRows.KeyOf(Damaged);
            var read = await silos[0].Rows.Inner.ReadAsync(rowKey);
            await silos[0].Rows.Inner.DeleteAsync(rowKey, read.ETag!.Value);

            Assert.Equal(PlacementKind.Here, (await silos[0].CallAsync(Damaged)).Kind);
        });
    }

    [Fact]
    public void A_row_that_is_damaged_while_its_round_is_decided_is_no_row_that_was_removed()
    {
        var world = new World();
        World.Run(world, async silos =>
        {
            // The delete that ends the round of a grain found elsewhere has no answer, and the row is damaged when it is looked at.
            await silos[1].CallAsync(Damaged);
            var rowKey = DirectoryRows.KeyOf(Damaged);
            silos[0].Rows.WriteFault = state => state == GsiState.Invalid ? StoreFault.UnknownWithoutEffect : StoreFault.None;
            var calling = silos[0].CallAsync(Damaged);
            await world.PassAsync(World.OneWay);
            var read = await silos[0].Rows.Inner.ReadAsync(rowKey);
            await silos[0].Rows.Inner.WriteAsync(rowKey, new byte[] { 77 }, read.ETag);

            var refused = await Record.ExceptionAsync(() => calling);

            Assert.True(refused is null or GeoUnavailableException, refused?.ToString());
            await Assert.ThrowsAsync<GeoUnavailableException>(
                () => silos[0].Directory.Administration.InspectAsync(Damaged, TestContext.Current.CancellationToken).AsTask());
        });
    }

    private static async Task FillAsync(Silo silo)
    {
        for (var i = 0; i < 10; i++)
        {
            var key = new GrainKey("cart", $"{i:00}");
            if (key == Damaged)
            {
                await silo.Rows.Inner.WriteAsync(DirectoryRows.KeyOf(key), new byte[] { 77 }, null);
            }
            else
            {
                await silo.CallAsync(key);
            }
        }
    }
}
