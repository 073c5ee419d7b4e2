namespace Geo.Tool.Tests.Kit;

/// <summary>Asks again, for 30 seconds at most, until the answer is the expected one.</summary>
internal static class Eventually
{
    public static async Task<T> Is<T>(Func<Task<T>> ask, Func<T, bool> expected)
    {
        var deadline = DateTime.UtcNow.AddSeconds(30);
        while (true)
        {
            var answer = await ask();
            if (expected(answer) || DateTime.UtcNow > deadline)
            {
                Assert.True(expected(answer), $"It stays at {answer}.");
                return answer;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(20), TestContext.Current.CancellationToken);
        }
    }
}
