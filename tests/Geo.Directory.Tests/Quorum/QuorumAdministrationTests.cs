namespace Geo.Directory.Tests.Quorum;

/// <summary>What an operator asks of grains that are owned by majority.</summary>
public sealed class QuorumAdministrationTests
{
    private static readonly GrainKey Key = new("grain", "k"), Other = new("other", "k");

    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(1);

    private readonly QuorumDirectoryWorld _world = new();

    [Fact]
    public void The_grains_of_the_cluster_are_listed_page_by_page_and_inspected() => Run(async (us, eu, asia) =>
    {
        for (var i = 0; i < 5; i++)
        {
            await _world.AnsweredAsync(us, new GrainKey("grain", $"{i}"), Settled);
        }

        await _world.AnsweredAsync(us, Other, Settled);
        await _world.AnsweredAsync(eu, Key, Settled);
        await _world.AnsweredAsync(us, Key, Settled);
        await _world.Memory.WriteAsync(OwnerRow.Prefix + "grain/9", new byte[] { 9, 9 }, null);
        await us.Lane.RunAsync(async () =>
        {
            var of = us.Directory.Administration;
            var first = await of.ListAsync(new() { PageSize = 4 });
            Assert.Equal(["0", "1", "2", "3"], first.Rows.Select(row => row.Key.Key));
            var second = await of.ListAsync(new() { PageSize = 4, After = first.Next });
            Assert.Equal(["4", "k"], second.Rows.Select(row => row.Key.Key));
            Assert.Equal(OwnerRow.Prefix + "grain/9", Assert.Single(second.Damaged).RowKey);
            Assert.Null(second.Next);
            Assert.Equal([Other], (await of.ListAsync(new() { Type = "other" })).Rows.Select(row => row.Key));
            Assert.Empty((await of.ListAsync(new() { State = GsiState.Doubtful })).Rows);
            Assert.Equal([Key], (await of.ListAsync(new() { State = GsiState.Cached, Cluster = eu.Cluster })).Rows.Select(row => row.Key));

            Assert.Equal((GsiState.Owned, us.Node), await of.InspectAsync(Other) is { } row ? (row.State, row.Silo) : default);
            Assert.Equal((GsiState.Cached, eu.Cluster), await of.InspectAsync(Key) is { } there ? (there.State, there.Owner) : default);
            Assert.Null(await of.InspectAsync(new("grain", "unknown")));
            Assert.True(await of.ResolveAsync(Other));
            Assert.False(await of.ResolveAsync(Key));
        });
    });

    [Fact]
    public void A_grain_is_released_and_placed_by_its_next_caller() => Run(async (us, eu, asia) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        Assert.False(await eu.Lane.RunAsync(() => eu.Directory.Administration.ReleaseAsync(Key, "it is not here").AsTask()));
        Assert.True(await us.Lane.RunAsync(() => us.Directory.Administration.ReleaseAsync(Key, "the test says so").AsTask()));
        Assert.False(us.Has(Key));
        Assert.Equal("the test says so", us.Moves.Newest(1, Key)[0].Why);
        await _world.AnsweredAsync(eu, Key, Settled);
        Assert.True(eu.Has(Key));
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Q7_a_grain_moves_to_its_heir_whoever_calls_it_meanwhile(bool isSlow) => Run(async (us, eu, asia) =>
    {
        var sibling = _world.Start(us.Cluster);
        await Task.Delay(Settled, _world.Scheduler.Time);
        await _world.AnsweredAsync(us, Key, Settled);
        if (isSlow)
        {
            eu.Way.Options.MinDelay = eu.Way.Options.MaxDelay = TimeSpan.FromMilliseconds(100);
        }

        var isMoving = true;
        var refused = 0;
        var callers = new[] { us, sibling, eu, asia }.Select(silo => silo.Lane.RunAsync(async () =>
        {
            while (isMoving)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(3), _world.Scheduler.Time);
                refused += await silo.CallAsync(Key) ? 0 : 1;
            }
        })).ToArray();

        var epoch = us.EpochOf(Key);
        Assert.True(await us.Lane.RunAsync(() => us.Directory.Administration.MoveAsync(Key, eu.Cluster, "less load").AsTask()));

        await Task.Delay(Settled, _world.Scheduler.Time);
        isMoving = false;
        await Task.WhenAll(callers);
        Assert.False(us.Has(Key) || sibling.Has(Key) || asia.Has(Key));
        Assert.Equal(epoch + 1, eu.EpochOf(Key));
        Assert.Equal((MoveKind.MovedAway, "less load"), us.Moves.Newest(1, Key) is [var move] ? (move.Kind, move.Why) : default);
        Assert.Equal(0, refused);
    });

    [Fact]
    public void Q7_a_grain_whose_heir_is_out_of_reach_is_taken_by_whoever_calls_it() => Run(async (us, eu, asia) =>
    {
        await _world.AnsweredAsync(us, Key, Settled);
        _world.CutOff(eu.Cluster);
        Assert.False(await us.Lane.RunAsync(() => us.Directory.Administration.MoveAsync(Key, eu.Cluster, "less load").AsTask()));
        await _world.AnsweredAsync(asia, Key, TimeSpan.FromSeconds(5));
        Assert.True(asia.Has(Key));
        await Assert.ThrowsAsync<ArgumentException>(
            async () => await us.Directory.Administration.MoveAsync(Key, us.Cluster, "to itself", CancellationToken.None));
    });

    [Fact]
    public void Q7_a_row_that_names_an_heir_is_read_as_it_was_written()
    {
        var row = new OwnerRow(new("us"), "us/1", "us/1/1", 7, IsReleased: true) { Heir = new("eu") };
        Assert.Equal(row, OwnerRow.Decode(row.Encode()));
        Assert.Equal(new("eu"), OwnershipRules.HeirOf(row, new("us")));
        Assert.Equal(default, OwnershipRules.HeirOf(row, new("eu")));
        Assert.Equal(default, OwnershipRules.HeirOf(row with { IsReleased = false }, new("us")));
        Assert.Equal(default, OwnershipRules.HeirOf(null, new("us")));

        // What an earlier version of Geo would read.
        Assert.NotEqual(0, row.Encode()[1]);
    }

    private void Run(Func<QuorumSilo, QuorumSilo, QuorumSilo, Task> test) => _world.Scheduler.Run(async () =>
    {
        var (us, eu, asia) = (
            _world.Start(QuorumDirectoryWorld.Us), _world.Start(QuorumDirectoryWorld.Eu), _world.Start(QuorumDirectoryWorld.Asia));
        await Task.Delay(Settled, _world.Scheduler.Time);
        await test(us, eu, asia);
    });
}
