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

    private static Task ConfirmAsync(LeaderWorld.Instance instance, string update) => instance.Do(async view =>
    {
        view.Enqueue(update);
        await view.ConfirmAsync();
    });
}
