namespace Geo.Orleans.Tests.Clusters;

/// <summary>Awaits a condition for at most 30 seconds.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    public static async Task Is<T>(T expected, Func<Task<T>> actual)
    {
        using var deadline = new CancellationTokenSource(Limit);
        var last = await actual();
        while (!EqualityComparer<T>.Default.Equals(expected, last) && !deadline.IsCancellationRequested)
        {
            await Task.Delay(Pause, CancellationToken.None);
            last = await actual();
        }

        Assert.Equal(expected, last);
    }

    /// <summary>The first answer of a call that may be refused for a while.</summary>
    public static async Task<T> Succeeds<T>(Func<Task<T>> call)
    {
        using var deadline = new CancellationTokenSource(Limit);
        while (true)
        {
            try
            {
                return await call();
            }
            catch (Exception e) when (e is GeoException or OrleansException && !deadline.IsCancellationRequested)
            {
                await Task.Delay(Pause, CancellationToken.None);
            }
        }
    }
}
