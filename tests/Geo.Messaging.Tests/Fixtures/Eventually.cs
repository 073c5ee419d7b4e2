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

    /// <summary>Asks again until the answer is as wanted, at most so long on a quiet machine and some time more on a busy one.</summary>
    public static async Task<ClusterReply> SoonAsync(
        TimeSpan time, Func<Task<ClusterReply>> ask, ReplyOutcome wanted = ReplyOutcome.Replied, string reason = "")
    {
        var watch = Stopwatch.StartNew();
        while (true)
        {
            var reply = await ask();
            if (reply.Outcome == wanted && (reply.Reason ?? "").Contains(reason, StringComparison.Ordinal))
            {
                return reply;
            }

            Assert.True(
                watch.Elapsed < 3 * time, $"Within {3 * time.TotalSeconds} s there was no answer but {reply.Outcome}: {reply.Reason}.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }

    public static async Task HoldsAsync(Func<Task<bool>> condition, string what)
    {
        var watch = Stopwatch.StartNew();
        while (!await condition())
        {
            Assert.True(watch.Elapsed < Deadline, $"Within {Deadline.TotalSeconds} s it did not happen that {what}.");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    public static Task<T> InTimeAsync<T>(Task<T> task) => task.WaitAsync(Deadline, TestContext.Current.CancellationToken);

    public static Task InTimeAsync(Task task) => task.WaitAsync(Deadline, TestContext.Current.CancellationToken);
}
