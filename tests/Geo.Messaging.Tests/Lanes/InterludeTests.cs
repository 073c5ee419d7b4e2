namespace Geo.Messaging.Tests;

public sealed class InterludeTests
{
    private readonly Interlude _interlude = new();

    [Fact]
    public async Task The_loop_goes_on_after_the_work_on_the_same_thread()
    {
        List<(string Step, int Thread)> steps = [];
        await Eventually.InTimeAsync(Task.Run(
            async () =>
            {
                for (var round = 0; round < 3; round++)
                {
                    await _interlude.RunAsync(new Work(() => steps.Add(("work", Environment.CurrentManagedThreadId))));
                    steps.Add(("loop", Environment.CurrentManagedThreadId));
                }
            },
            Net.Token));

        Assert.Equal(["work", "loop", "work", "loop", "work", "loop"], steps.Select(step => step.Step));
        Assert.Single(steps.Select(step => step.Thread).Distinct());
    }

    [Fact]
    public async Task Once_it_is_cut_the_loop_goes_on_beside_the_work_and_only_once()
    {
        using var release = new ManualResetEventSlim();
        var working = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var worked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var wentOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var rounds = 0;
        var loop = Task.Run(
            async () =>
            {
                await _interlude.RunAsync(new Work(() =>
                {
                    working.SetResult();
                    release.Wait(Net.Token);
                    worked.SetResult();
                }));
                Interlocked.Increment(ref rounds);
                wentOn.SetResult();
            },
            Net.Token);
        await Eventually.InTimeAsync(working.Task);
        Assert.False(wentOn.Task.IsCompleted);

        _interlude.Cut();
        _interlude.Cut();
        await Eventually.InTimeAsync(wentOn.Task);
        Assert.False(worked.Task.IsCompleted);

        release.Set();
        await Eventually.InTimeAsync(worked.Task);
        await Eventually.InTimeAsync(loop);
        Assert.Equal(1, rounds);
    }

    [Fact]
    public async Task A_thread_that_is_not_the_pools_is_left_at_once()
    {
        var worked = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var left = Task.CompletedTask;
        var thread = new Thread(
            () => left = _interlude.RunAsync(new Work(() => worked.SetResult(Thread.CurrentThread.IsThreadPoolThread))).AsTask());
        thread.Start();
        thread.Join();

        Assert.True(left.IsCompletedSuccessfully);
        await Eventually.InTimeAsync(worked.Task);
        Assert.True(await worked.Task);
    }

    private sealed class Work(Action run) : IThreadPoolWorkItem
    {
        public void Execute() => run();
    }
}
