namespace Geo.Analyzers.Tests;

public sealed class BlockingTests
{
    [Theory]
    [InlineData("ConfirmEvents().Wait();", "Task.Wait")]
    [InlineData("ConfirmEvents().GetAwaiter().GetResult();", "TaskAwaiter.GetResult")]
    [InlineData("var x = Task.FromResult(1).Result;", "Task.Result")]
    [InlineData("var x = new ValueTask<int>(1).Result;", "ValueTask.Result")]
    [InlineData("Task.WaitAll(ConfirmEvents());", "Task.WaitAll")]
    [InlineData("Thread.Sleep(1);", "Thread.Sleep")]
    [InlineData("System.Action later = () => Thread.Sleep(1);", "Thread.Sleep")]
    [InlineData("System.Array.ForEach(new[] { 1 }, Thread.Sleep);", "Thread.Sleep")]
    [InlineData("if (Task.FromResult(1) is { Result: 1 }) { }", "Task.Result")]
    [InlineData("ConfirmEvents().ConfigureAwait(false).GetAwaiter().GetResult();", "ConfiguredTaskAwaiter.GetResult")]
    [InlineData("new ValueTask<int>(1).ConfigureAwait(false).GetAwaiter().GetResult();", "ConfiguredValueTaskAwaiter.GetResult")]
    [InlineData("new ManualResetEventSlim().Wait();", "ManualResetEventSlim.Wait")]
    [InlineData("new CountdownEvent(1).Wait();", "CountdownEvent.Wait")]
    [InlineData("new AutoResetEvent(false).WaitOne();", "WaitHandle.WaitOne")]
    [InlineData("Thread.CurrentThread.Join();", "Thread.Join")]
    [InlineData("Monitor.Wait(this);", "Monitor.Wait")]
    public async Task A_call_that_blocks_a_replicated_grain_is_told_of(string statement, string naming)
    {
        var told = Assert.Single(await Compiled.TellsAsync(Replicated(statement)));

        Assert.StartsWith($"GEO003: {naming} ", told, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("await ConfirmEvents();")]
    [InlineData("await Task.Delay(1);")]
    [InlineData("var x = new Answer().Result;")]
    public async Task What_does_not_block_is_not(string statement) => Assert.Empty(await Compiled.TellsAsync(Replicated(statement)));

    [Fact]
    public async Task A_grain_without_replicas_may_block_as_it_likes() => Assert.Empty(await Compiled.TellsAsync(
        "public sealed class Counter : Grain, ICount { public Task<int> Add(int by) { Thread.Sleep(1); return Task.FromResult(by); } }"));

    private static string Replicated(string statement) =>
        "public sealed class Answer { public int Result => 1; }" + Environment.NewLine + Compiled.Replicated(statement);
}
