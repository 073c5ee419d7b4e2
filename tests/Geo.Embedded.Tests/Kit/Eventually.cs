namespace Geo.Embedded.Tests;

/// <summary>Waits for what must become true, with a deadline.</summary>
internal static class Eventually
{
    public static Task HoldsAsync(Func<bool> condition, string what, int seconds = 20) =>
        HoldsAsync(() => Task.FromResult(condition()), what, seconds);

    public static async Task HoldsAsync(Func<Task<bool>> condition, string what, int seconds = 20)
    {
        var deadline = DateTime.UtcNow.AddSeconds(seconds);
        while (!await condition())
        {
            Assert.True(DateTime.UtcNow < deadline, $"It did not become true within {seconds} s that {what}.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }
}
