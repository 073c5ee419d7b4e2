namespace Geo.Orleans.Tests.Clusters;

/// <summary>Awaits a condition for at most 20 seconds.</summary>
internal static class Eventually
{
    public static async Task Is<T>(T expected, Func<Task<T>> actual)
    {
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(20));
        var last = await actual();
        while (!EqualityComparer<T>.Default.Equals(expected, last) && !deadline.IsCancellationRequested)
        {
            await Task.Delay(20, CancellationToken.None);
            last = await actual();
        }

        Assert.Equal(expected, last);
    }
}
