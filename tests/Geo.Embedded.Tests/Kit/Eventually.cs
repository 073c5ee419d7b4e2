namespace Geo.Embedded.Tests;

/// <summary>Waits for what must become true, with a deadline.</summary>
internal static class Eventually
{
    public static Task HoldsAsync(Func<bool> condition, string what, int seconds = 20, Func<string>? seen = null) =>
        HoldsAsync(() => Task.FromResult(condition()), what, seconds, seen);

    public static async Task HoldsAsync(Func<Task<bool>> condition, string what, int seconds = 20, Func<string>? seen = null)
    {
        var deadline = DateTime.UtcNow.AddSeconds(seconds);
        while (!await condition())
        {
            Assert.True(DateTime.UtcNow < deadline, $"It did not become true within {seconds} s that {what}. {seen?.Invoke()}");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>Calls until the call is answered.</summary>
    public static async Task<T> AnsweredAsync<T>(Func<Task<T>> call)
    {
        var answer = default(T)!;
        await HoldsAsync(
            async () =>
            {
                try
                {
                    answer = await call();
                    return true;
                }
                catch (GeoException)
                {
                    return false;
                }
            },
            "the call is answered");
        return answer;
    }
}
