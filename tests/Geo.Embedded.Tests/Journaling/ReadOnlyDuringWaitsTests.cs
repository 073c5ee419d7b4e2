namespace Geo.Embedded.Tests;

public interface IDesk : IGrainWithStringKey
{
    Task AddAndConfirm(int amount);

    Task Add(int amount);

    Task<bool> AddIf(int amount);

    Task Hold();

    Task AddTwiceAndHold();

    Task ConfirmByTimer(TimeSpan due);

    [AlwaysInterleave]
    Task Free();

    [AlwaysInterleave]
    Task ConfirmBeside();

    [ReadOnly]
    Task<int> Look();

    [ReadOnly]
    Task<int> LookLatest();

    [ReadOnly]
    [ResponseTimeout("00:00:00.500")]
    Task<int> LookLatestForHalfASecond();

    [ReadOnly]
    Task RaiseWhileReading(bool conditionally);
}

[OneInstancePerCluster, BatchedCas]
public sealed class DeskGrain : JournaledGrain<StockState, StockEvent>, IDesk
{
    private readonly TaskCompletionSource _free = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task AddAndConfirm(int amount)
    {
        RaiseEvent(new Added(amount));
        return ConfirmEvents();
    }

    public Task Add(int amount)
    {
        RaiseEvent(new Added(amount));
        return Task.CompletedTask;
    }

    public Task<bool> AddIf(int amount) => RaiseConditionalEvent(new Added(amount));

    public Task Hold() => _free.Task;

    public async Task AddTwiceAndHold()
    {
        RaiseEvent(new Added(1));
        await ConfirmEvents();
        await _free.Task;
    }

    public Task ConfirmByTimer(TimeSpan due)
    {
        this.RegisterGrainTimer(
            async _ =>
            {
                RaiseEvent(new Added(1));
                await ConfirmEvents();
            },
            new GrainTimerCreationOptions { DueTime = due, Period = Timeout.InfiniteTimeSpan });
        return Task.CompletedTask;
    }

    public Task Free()
    {
        _free.TrySetResult();
        return Task.CompletedTask;
    }

    public async Task ConfirmBeside()
    {
        RaiseEvent(new Added(1));
        await ConfirmEvents();
    }

    public Task<int> Look() => Task.FromResult(TentativeState.Count);

    public async Task<int> LookLatest()
    {
        await RefreshNow();
        return State.Count;
    }

    public Task<int> LookLatestForHalfASecond() => LookLatest();

    public Task RaiseWhileReading(bool conditionally)
    {
        if (conditionally)
        {
            return RaiseConditionalEvent(new Added(1));
        }

        RaiseEvent(new Added(1));
        return Task.CompletedTask;
    }
}

/// <summary>
/// What read-only methods of a grain that is not reentrant are answered while its other methods wait for a store that is away.
/// </summary>
public sealed class ReadOnlyDuringWaitsTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(10);

    [Fact]
    public async Task Local_reads_are_answered_while_a_confirm_waits_for_a_store_that_is_away()
    {
        var store = new SilentStore { HangsInSilence = true };
        await using var silo = await StartAsync(store);
        var desk = silo.Grains.GetGrain<IDesk>("a");
        var confirm = desk.AddAndConfirm(1);
        var next = desk.AddAndConfirm(10);

        for (var i = 0; i < 6; i++)
        {
            Assert.Equal(1, await desk.Look().WaitAsync(Soon, TestContext.Current.CancellationToken));
        }

        Assert.False(confirm.IsCompleted);
        Assert.False(next.IsCompleted);
        store.IsSilent = false;
        await confirm;
        await next;
        Assert.Equal(11, await desk.LookLatest());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Local_reads_are_answered_while_a_conditional_event_or_a_timer_waits(bool byTimer)
    {
        var store = new SilentStore { HangsInSilence = true };
        await using var silo = await StartAsync(store);
        var desk = silo.Grains.GetGrain<IDesk>("a");
        var wait = byTimer ? desk.ConfirmByTimer(TimeSpan.Zero) : desk.AddIf(1);
        await Eventually.HoldsAsync(async () => await desk.Look() == 1, "the event is raised");
        var next = desk.Add(10);

        Assert.Equal(1, await desk.Look().WaitAsync(Soon, TestContext.Current.CancellationToken));
        Assert.False(next.IsCompleted);

        store.IsSilent = false;
        await wait;
        await next;
        Assert.Equal(11, await desk.LookLatest());
    }

    [Fact]
    public async Task Local_reads_are_answered_while_a_linearizable_read_waits_and_a_writer_behind_it_is_not_kept_out_for_ever()
    {
        var store = new SilentStore { HangsInSilence = true };
        await using var silo = await StartAsync(store);
        var desk = silo.Grains.GetGrain<IDesk>("a");
        var read = desk.LookLatestForHalfASecond();
        var write = desk.Add(1);
        Assert.Equal(0, await desk.Look().WaitAsync(Soon, TestContext.Current.CancellationToken));

        // A reader comes before the last one has given up, again and again; what came in between must have its turn.
        var readers = new List<Task> { read };
        while (!write.IsCompleted && readers.Count < 300)
        {
            readers.Add(desk.LookLatestForHalfASecond());
            await Task.WhenAny(write, Task.Delay(20, TestContext.Current.CancellationToken));
        }

        Assert.True(write.IsCompletedSuccessfully, "The writer was kept out.");
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => Task.WhenAll(readers));
        store.IsSilent = false;
        Assert.Equal(1, await desk.LookLatest());
    }

    [Fact]
    public async Task Read_only_calls_are_let_in_nowhere_else()
    {
        await using var silo = await StartAsync(new InMemoryConditionalStore());
        var desk = silo.Grains.GetGrain<IDesk>("a");
        var hold = desk.AddTwiceAndHold();
        var look = desk.Look();

        // It may be let in while the events are confirmed, and not after: the second look comes when the store has answered.
        await look.WaitAsync(Soon, TestContext.Current.CancellationToken).ContinueWith(static _ => { }, TaskScheduler.Default);
        await desk.ConfirmBeside();
        var second = desk.Look();
        await desk.ConfirmBeside();
        Assert.False(second.IsCompleted);

        await desk.Free();
        await hold;
        Assert.Equal(3, await second);
    }

    [Fact]
    public async Task A_wait_of_an_interleaving_call_lets_nobody_in_beside_the_others()
    {
        var store = new SilentStore { HangsInSilence = true };
        await using var silo = await StartAsync(store, TimeSpan.FromSeconds(30));
        var desk = silo.Grains.GetGrain<IDesk>("a");
        var hold = desk.Hold();
        var beside = desk.ConfirmBeside();
        var look = desk.Look();
        await desk.Free();
        await hold;
        Assert.Equal(1, await look.WaitAsync(Soon, TestContext.Current.CancellationToken));
        store.IsSilent = false;
        await beside;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_read_only_method_that_raises_an_event_is_told_so_and_nothing_is_raised(bool conditionally)
    {
        await using var silo = await StartAsync(new InMemoryConditionalStore());
        var desk = silo.Grains.GetGrain<IDesk>("a");

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => desk.RaiseWhileReading(conditionally));

        Assert.Contains("[ReadOnly]", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, await desk.LookLatest());
    }

    [Fact]
    public async Task A_confirm_that_outlasts_its_call_is_told_so_and_the_events_stay_queued()
    {
        var store = new SilentStore { HangsInSilence = true };
        await using var silo = await StartAsync(store, TimeSpan.FromMilliseconds(200));
        var desk = silo.Grains.GetGrain<IDesk>("a");
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => desk.AddAndConfirm(1));

        // The method has ended with its call, so that the next one's turn comes although the store is still away.
        await desk.Add(2).WaitAsync(Soon, TestContext.Current.CancellationToken);
        store.IsSilent = false;
        await Eventually.HoldsAsync(async () => await desk.LookLatest() == 3, "both are confirmed");
    }

    private static Task<TestSilo> StartAsync(IConditionalStore store, TimeSpan? timeout = null) => TestSilo.StartAsync(
        "us",
        geo => geo.AddGrain<DeskGrain>().AddStore(GeoStorage.Default, _ => store).Configure(o =>
        {
            o.RequestTimeout = timeout ?? TimeSpan.FromSeconds(30);
            o.TimeoutResolution = TimeSpan.FromMilliseconds(10);
        }));
}
