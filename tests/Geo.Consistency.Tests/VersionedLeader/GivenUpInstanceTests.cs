using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.VersionedLeader;

/// <summary>An instance that its host has given up, and whose code runs on, while the next one is active in its cluster.</summary>
public sealed class GivenUpInstanceTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void It_neither_decides_nor_confirms_once_the_next_one_is_there(bool wasAtWork)
    {
        var world = new LeaderWorld("a", "a", "b");
        var given = world.Add("a");
        world.Add("b");
        world.Run(async () =>
        {
            await ConfirmAsync(given, "1");
            if (wasAtWork)
            {
                // Its next step comes after the next one has the memory, and before it is told.
                await given.Do(view =>
                {
                    view.Enqueue("never");
                    given.Lane.Freeze();
                });
            }

            var next = world.Replace("a");
            await ConfirmAsync(next, "2");
            given.Lane.Thaw();
            await world.Delay(500);

            await Assert.ThrowsAsync<ObjectDisposedException>(() => given.Do(view => view.ConfirmAsync()));
            await Assert.ThrowsAsync<ObjectDisposedException>(() => given.Do(view => view.Enqueue("never")));
            await ConfirmAsync(next, "3");
            await world.Delay(500);
        });

        Assert.Equal(["1", "2", "3"], world["a"].View.Confirmed.Lines);
        Assert.Equal(["1", "2", "3"], world["b"].View.Confirmed.Lines);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void It_takes_no_memory_from_the_next_one_that_came_while_the_memory_was_claimed(bool isLast)
    {
        var world = new LeaderWorld("a", "a", "b");
        world.Join("a");
        var exchange = world.Exchanges["a"].Exchange;
        var claims = new List<TaskCompletionSource>();
        exchange.Claim = (_, _) =>
        {
            claims.Add(new(TaskCreationOptions.RunContinuationsAsynchronously));
            return claims[^1].Task;
        };
        world.Run(async () =>
        {
            // A batch of another cluster activates the grain.
            var other = world.Add("b");
            await other.Do(view => view.Enqueue("1"));
            await world.Delay(200);
            var asked = claims.Count;
            Assert.InRange(asked, 1, 2);

            var next = world.Replace("a");
            await world.Delay(200);
            Assert.True(claims.Count > asked);
            exchange.Memories.GetOrCreate(LeaderWorld.Grain);
            foreach (var claim in isLast ? Enumerable.Reverse(claims) : claims)
            {
                claim.SetResult();
                await world.Delay(200);
            }

            await ConfirmAsync(next, "2");
            await next.Do(view => view.RefreshAsync());
            await other.Do(view => view.ConfirmAsync());
            Assert.True(exchange.Memories.Has(LeaderWorld.Grain, out var isInUse) && isInUse);
        });

        Assert.Equal(["1", "2"], world["a"].View.Confirmed.Lines.Order());
    }

    [Fact]
    public void It_takes_no_memory_from_the_next_one_where_its_first_turn_blocked()
    {
        var world = new LeaderWorld("a", "a", "b");
        world.Join("a");
        world.Add("b");
        world.Run(async () =>
        {
            // Its worker waits for its turn, and is to take the memory with it, before it is told that it was given up.
            var given = world.Replace("a");
            await given.Do(_ => given.Lane.Freeze());
            var next = world.Replace("a");
            await ConfirmAsync(next, "1");
            given.Lane.Thaw();
            await world.Delay(500);

            await Assert.ThrowsAsync<ObjectDisposedException>(() => given.Do(view => view.ConfirmAsync()));
            await ConfirmAsync(next, "2");
        });

        Assert.Equal(["1", "2"], world["a"].View.Confirmed.Lines);
    }

    private static Task ConfirmAsync(LeaderWorld.Instance instance, string update) => instance.Do(async view =>
    {
        view.Enqueue(update);
        await view.ConfirmAsync();
    });
}
