namespace Geo.Analyzers.Tests;

public sealed class BlockingFixTests
{
    private const string Title = "Await instead";

    [Theory]
    [InlineData("ConfirmEvents().Wait();", "await ConfirmEvents();")]
    [InlineData("ConfirmEvents().GetAwaiter().GetResult();", "await ConfirmEvents();")]
    [InlineData("ConfirmEvents().ConfigureAwait(false).GetAwaiter().GetResult();", "await ConfirmEvents().ConfigureAwait(false);")]
    [InlineData("var x = Task.FromResult(1).Result;", "var x = await Task.FromResult(1);")]
    [InlineData("var x = Task.FromResult(1).Result.ToString();", "var x = (await Task.FromResult(1)).ToString();")]
    [InlineData("var x = 2 + new ValueTask<int>(1).Result;", "var x = 2 + (await new ValueTask<int>(1));")]
    [InlineData("Thread.Sleep(1); // a pause", "await Task.Delay(1); // a pause")]
    [InlineData("Task.WaitAll(ConfirmEvents());", "await Task.WhenAll(ConfirmEvents());")]
    [InlineData("var x = new SemaphoreSlim(1).Wait(5);", "var x = await new SemaphoreSlim(1).WaitAsync(5);")]
    [InlineData("System.Func<Task> later = async () => Thread.Sleep(1);", "System.Func<Task> later = async () => await Task.Delay(1);")]
    public async Task What_blocks_is_awaited(string blocking, string awaited)
    {
        var offered = await Fixed.OfferedAsync(new BlockingFixes(), Source(blocking));

        Assert.Equal(Source(awaited), offered[Title]);
        Assert.Empty(await Compiled.TellsAsync(offered[Title][Compiled.Prelude.Length..]));
    }

    [Theory]
    [InlineData("Task.WaitAll(new[] { ConfirmEvents() }, 5);")]
    [InlineData("new ManualResetEventSlim().Wait();")]
    [InlineData("System.Action later = () => Thread.Sleep(1);")]
    [InlineData("void Later() => Thread.Sleep(1);")]
    [InlineData("lock (this) { Thread.Sleep(1); }")]
    [InlineData("System.Array.ForEach(new[] { 1 }, Thread.Sleep);")]
    [InlineData("if (Task.FromResult(1) is { Result: 1 }) { }")]
    public async Task What_cannot_be_awaited_as_it_stands_is_left(string blocking) =>
        Assert.Empty(await Fixed.OfferedAsync(new BlockingFixes(), Source(blocking)));

    private static string Source(string statement) => Compiled.Prelude + Compiled.Replicated(statement);
}
