using Geo.Experiments.Lattices.Redis;

namespace Geo.Experiments.Tests.Lattices;

public sealed class RedisTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    public async Task A_server_counts_what_two_threads_add(int depth)
    {
        Assert.SkipWhen(RedisServer.Absence is not null, RedisServer.Absence ?? "");
        await using var server = await RedisServer.StartAsync(TestContext.Current.CancellationToken);
        await using var keys = new RedisKeys(server, 2, depth, value: null);
        Thread[] threads = [.. Enumerable.Range(0, 2).Select(thread => new Thread(() =>
        {
            for (var i = 0; i < 1000; i++)
            {
                keys.Update(thread, i % 10);
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        Assert.Null(await keys.CheckAsync(2000, 10));
        Assert.NotNull(await keys.CheckAsync(2001, 10));
    }
}
