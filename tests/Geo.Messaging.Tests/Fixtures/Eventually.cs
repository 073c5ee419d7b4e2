using System.Diagnostics;

namespace Geo.Messaging.Tests;

/// <summary>Waits for a condition with a deadline.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(20);

    public static async Task HoldsAsync(Func<bool> condition, string what)
    {
        var watch = Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(watch.Elapsed < Deadline, $"Within {Deadline.TotalSeconds} s it did not happen that {what}.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }

    public static Task<T> InTimeAsync<T>(Task<T> task) => task.WaitAsync(Deadline, TestContext.Current.CancellationToken);

    public static Task InTimeAsync(Task task) => task.WaitAsync(Deadline, TestContext.Current.CancellationToken);
}
