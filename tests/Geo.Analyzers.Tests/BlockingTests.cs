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
    [InlineData("Monitor.Wait(this, 0);", "Monitor.Wait")]
    [InlineData("ConfirmEvents().Wait(1);", "Task.Wait")]
    [InlineData("ConfirmEvents().Wait(by);", "Task.Wait")]
    [InlineData("var task = Added(); var x = task.Result;", "Task.Result")]
    [InlineData("var task = Added(); var x = task.Result; await task;", "Task.Result")]
    [InlineData("var task = Added(); if (by > 0) { await task; } var x = task.Result;", "Task.Result")]
    [InlineData("var task = Added(); await task; task = Added(); var x = task.Result;", "Task.Result")]
    [InlineData("var task = Added(); await task; while (by > 0) { var x = task.Result; task = Added(); }", "Task.Result")]
    [InlineData("var task = Added(); System.Action next = () => task = Added(); await task; next(); var x = task.Result;", "Task.Result")]
    [InlineData("var task = Added(); var one = Added(); await one; var x = task.Result;", "Task.Result")]
    [InlineData("var task = Added(); await Task.WhenAny(task, Task.Delay(1)); var x = task.Result;", "Task.Result")]
    [InlineData("var task = new ValueTask<int>(1); await task; var x = task.Result;", "ValueTask.Result")]
    [InlineData("var task = Added(); int? cached = by; cached ??= await task; var x = task.Result;", "Task.Result")]
    [InlineData("var task = Added(); if (by > 0) { goto skip; } await task; skip: var x = task.Result;", "Task.Result")]
    [InlineData("switch (by) { case 1: await Added(); break; default: var task = Added(); by = task.Result; break; }", "Task.Result")]
    [InlineData("var task = Added(); switch (by) { case 1: await task; break; default: by = task.Result; break; }", "Task.Result")]
    [InlineData("var task = Added(); Task[] all = [Added()]; await Task.WhenAll([.. all]); var x = task.Result;", "Task.Result")]
    [InlineData("SpinWait.SpinUntil(() => by > 0);", "SpinWait.SpinUntil")]
    [InlineData("by = await Added().ContinueWith(over => { over = Added(); return over.Result; });", "Task.Result")]
    [InlineData("by = await Added().ContinueWith((over, other) => ((Task<int>)other!).Result, Added());", "Task.Result")]
    [InlineData("Task<int>[] all = [Added(), Added()]; by = all[0].Result;", "Task.Result")]
    [InlineData("Task<int>[] all = [Added()]; await Task.WhenAll(all); all = [Added()]; by = all[0].Result;", "Task.Result")]
    [InlineData("Task<int>[] all = [Added()]; await Task.WhenAny(all); by = all.Sum(t => t.Result);", "Task.Result")]
    [InlineData("var all = Times().Select(_ => Added()); await Task.WhenAll(all); by = all.Sum(t => t.Result);", "Task.Result")]
    [InlineData("Task<int>[] all = [Added()]; foreach (var t in all) { by += t.Result; } await Task.WhenAll(all);", "Task.Result")]
    [InlineData("var task = Added(); await task.WaitAsync(Limit); task = Added(); by = task.Result;", "Task.Result")]
    [InlineData("by = new System.Lazy<int>(() => Added().Result).Value;", "Task.Result")]
    [InlineData("System.Func<Task<int>, int> of = task => task.Result; by = of(Added());", "Task.Result")]
    public async Task A_call_that_blocks_a_replicated_grain_is_told_of(string statement, string naming)
    {
        var told = Assert.Single(await Compiled.TellsAsync(Replicated(statement)));

        Assert.StartsWith($"GEO003: {naming} ", told, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("await ConfirmEvents();")]
    [InlineData("await Task.Delay(1);")]
    [InlineData("var x = new Answer().Result;")]
    [InlineData("if (ConfirmEvents().Wait(0)) { }")]
    [InlineData("if (ConfirmEvents().Wait(System.TimeSpan.Zero)) { }")]
    [InlineData("if (new SemaphoreSlim(1).Wait(0, CancellationToken.None)) { }")]
    [InlineData("if (new AutoResetEvent(false).WaitOne(millisecondsTimeout: 0)) { }")]
    [InlineData("if (Task.WaitAny(new Task[] { ConfirmEvents() }, 0) < 0) { }")]
    [InlineData("var task = Added(); await task; var x = task.Result;")]
    [InlineData("var task = Added(); var x = await task; if (by > 0) { by = task.Result; }")]
    [InlineData("var task = Added(); by = await task.ConfigureAwait(false); by = task.ConfigureAwait(false).GetAwaiter().GetResult();")]
    [InlineData("Task<int> task = Added(), other = Added(); await Task.WhenAll(task, other); var x = task.Result + other.Result;")]
    [InlineData("var task = Added(); while (by > 0) { await task; by = task.GetAwaiter().GetResult(); task = Added(); }")]
    [InlineData("var task = Added(); await task; task.Wait();")]
    [InlineData("Task<int> task = Added(), other = Added(); await Task.WhenAll([task, other]); var x = task.Result + other.Result;")]
    [InlineData("Task<int> task = Added(), other = Added(); await Task.WhenAll(new[] { task, other }); by = task.Result + other.Result;")]
    [InlineData("Task task = Added(), other = Added(); await Task.WhenAll(new Task[] { task, other }); task.Wait();")]
    [InlineData("var task = Added(); switch (by) { case 1: await task; by = task.Result; break; }")]
    [InlineData("var task = Added(); switch (by) { case 1: goto default; default: by = await task; { by = task.Result; } break; }")]
    [InlineData("var task = Added(); await (task); by = (task).Result;")]
    [InlineData("var task = Added(); by = (await ((task).ConfigureAwait(false))); by = task.Result;")]
    [InlineData("var task = Added(); await (Task.WhenAll((task))); by = task.Result;")]
    [InlineData("by = await Added().ContinueWith(over => over.Result);")]
    [InlineData("by = await Added().ContinueWith((over, more) => { if (more is int x) { by = x; } return over.Result; }, 1);")]
    [InlineData("await Added().ContinueWith(over => { if (!over.IsFaulted) { by = over.GetAwaiter().GetResult(); } });")]
    [InlineData("await Added().ContinueWith(delegate (Task<int> over) { over.Wait(); }, TaskScheduler.Current);")]
    [InlineData("Task<int>[] all = [Added(), Added()]; await Task.WhenAll(all); by = all[0].Result + all.Sum(t => t.Result);")]
    [InlineData("Task<int>[] all = [Added()]; await Task.WhenAll(all); foreach (var t in all) { if (by > 0) { by += t.Result; } }")]
    [InlineData("var all = Times().Select(_ => Added()).ToList(); await Task.WhenAll(all); all.ForEach(t => by += t.Result);")]
    [InlineData("var all = Times().Select(_ => Added()).ToList(); await Task.WhenAll(all).WaitAsync(Limit); by = all[0].Result;")]
    [InlineData("Task<int> a = Added(), b = Added(); await Task.WhenAll(a, b).WaitAsync(Limit).ConfigureAwait(true); by = a.Result;")]
    [InlineData("var task = Added(); await task.WaitAsync(Limit); by = task.Result;")]
    [InlineData("by = await Task.Run(() => Added().Result); await Task.Run(() => { Thread.Sleep(9); while (!Added().IsCompleted) { } });")]
    [InlineData("var name = nameof(Task<int>.Result);")]
    [InlineData("if (SpinWait.SpinUntil(() => by > 0, 0)) { }")]
    public async Task What_does_not_block_is_not(string statement) => Assert.Empty(await Compiled.TellsAsync(Replicated(statement)));

    [Theory]
    [InlineData("var task = Added(); while (!task.IsCompleted) { }", "Task.IsCompleted")]
    [InlineData("var task = Added(); while (!task.IsCompleted) ;", "Task.IsCompleted")]
    [InlineData("var task = Added(); while (!task.IsCompletedSuccessfully) { Thread.Yield(); }", "Task.IsCompletedSuccessfully")]
    [InlineData("var task = Added(); do { Thread.SpinWait(9); continue; } while (task.IsCompleted == false);", "Task.IsCompleted")]
    [InlineData("var task = Added(); SpinWait spin = new(); for (; task.IsCompleted is false;) { spin.SpinOnce(); }", "Task.IsCompleted")]
    [InlineData("var task = new ValueTask<int>(1); while (!task.IsCompleted) { Thread.Sleep(0); }", "ValueTask.IsCompleted")]
    [InlineData("var over = Added().GetAwaiter(); while (!over.IsCompleted) { }", "TaskAwaiter.IsCompleted")]
    [InlineData("while (!ConfirmEvents().Wait(0)) { }", "Task.Wait")]
    [InlineData("var free = new SemaphoreSlim(1); while (!free.Wait(System.TimeSpan.Zero)) { }", "SemaphoreSlim.Wait")]
    [InlineData("while (Task.WaitAny([ConfirmEvents()], 0) < 0) { }", "Task.WaitAny")]
    [InlineData("while (Task.WaitAny([ConfirmEvents()], 0) == -1) { }", "Task.WaitAny")]
    [InlineData("var set = new ManualResetEventSlim(); while (!set.IsSet) { }", "ManualResetEventSlim.IsSet")]
    [InlineData("var task = Added(); await task; task = Added(); while (!task.IsCompleted) { }", "Task.IsCompleted")]
    public async Task A_loop_that_does_nothing_but_look_is_told_of(string statement, string naming)
    {
        var told = Assert.Single(await Compiled.TellsAsync(Replicated(statement)));

        Assert.StartsWith($"GEO003: A spin on {naming} ", told, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("var task = Added(); while (!task.IsCompleted) { await Task.Delay(1); }")]
    [InlineData("var task = Added(); while (!task.IsCompleted) { await Task.Yield(); }")]
    [InlineData("var task = Added(); while (!task.IsCompleted) { by++; if (by > 9) { break; } }")]
    [InlineData("var task = Added(); while (!task.IsCompleted && by++ < 9) { }")]
    [InlineData("var task = Added(); for (; !task.IsCompleted; await Task.Delay(1)) { }")]
    [InlineData("var task = Added(); if (!task.IsCompleted) { }")]
    [InlineData("var set = new AutoResetEvent(true); while (set.WaitOne(0)) { }")]
    [InlineData("var task = Added(); await task; while (!task.IsCompleted) { }")]
    [InlineData("while (!new Answer().IsCompleted) { }")]
    public async Task A_loop_that_does_more_than_look_or_looks_at_what_is_over_is_not(string statement) =>
        Assert.Empty(await Compiled.TellsAsync(Replicated(statement)));

    [Fact]
    public async Task A_grain_without_replicas_may_block_as_it_likes() => Assert.Empty(await Compiled.TellsAsync(
        "public sealed class Counter : Grain, ICount { public Task<int> Add(int by) { Thread.Sleep(1); return Task.FromResult(by); } }"));

    private static string Replicated(string statement) =>
        "public sealed class Answer { public int Result => 1; public bool IsCompleted => true; }" + Environment.NewLine
        + Compiled.Replicated(statement).Replace(
            "ICount\n{", "ICount\n{\n    private static readonly System.TimeSpan Limit = System.TimeSpan.FromSeconds(1);\n"
                + "    private static System.Collections.Generic.IEnumerable<int> Times() => [1, 2];\n"
                + "    private static Task<int> Added() => Task.FromResult(1);", StringComparison.Ordinal);
}
