using System.Diagnostics.Metrics;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Journaling;

/// <summary>What calls of a journaled grain that is not reentrant wait for while its store is away.</summary>
public sealed class ReadersDuringWaitsTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(15);

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(typeof(Desk))]
    [InlineData(typeof(SingleDesk))]
    public async Task Local_reads_are_answered_while_a_confirm_waits_for_a_store_that_is_away(Type grainClass)
    {
        await using var clusters = await StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("away", grainClass.FullName);
        await desk.Confirm(1);
        clusters.Shared.Unreachable = true;
        var confirm = desk.Confirm(10);
        var next = desk.Add(100);

        for (var i = 0; i < 6; i++)
        {
            Assert.Equal(11, await desk.Look().WaitAsync(Soon, Cancelled));
        }

        Assert.False(confirm.IsCompleted);
        Assert.False(next.IsCompleted);
        clusters.Shared.Unreachable = false;
        await confirm;
        await next;
        Assert.Equal(111, await desk.Latest());
    }

    [Theory]
    [InlineData(typeof(Desk))]
    [InlineData(typeof(SingleDesk))]
    public async Task A_grain_that_is_first_called_while_the_store_is_away_answers_local_reads(Type grainClass)
    {
        await using var clusters = await StartAsync();
        clusters.Shared.Unreachable = true;
        var desk = clusters.Grains("eu").GetGrain<IDesk>("first", grainClass.FullName);

        Assert.Equal(0, await desk.Look().WaitAsync(Soon, Cancelled));
        var confirm = desk.Confirm(10);
        Assert.Equal(10, await desk.Look().WaitAsync(Soon, Cancelled));

        clusters.Shared.Unreachable = false;
        await confirm;
    }

    [Theory]
    [InlineData(typeof(Desk))]
    [InlineData(typeof(SingleDesk))]
    public async Task Calls_that_waited_for_the_end_of_an_activation_are_of_the_next_one(Type grainClass)
    {
        await using var clusters = await StartAsync();
        var key = $"next-{grainClass.Name}";
        var desk = clusters.Grains("eu").GetGrain<IDesk>(key, grainClass.FullName);
        await desk.Confirm(1);
        var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        AnyDesk.Ends[key] = end.Task;
        await desk.Leave();
        await Eventually.Is(false, () => Task.FromResult(AnyDesk.Ends.ContainsKey(key)));
        clusters.Shared.Unreachable = true;
        var confirm = desk.Confirm(10);
        var look = desk.Look();
        end.SetResult();

        Assert.Equal(10, await look.WaitAsync(Soon, Cancelled));

        Assert.False(confirm.IsCompleted);
        clusters.Shared.Unreachable = false;
        await confirm;
        Assert.Equal(11, await desk.Latest());
    }

    [Theory]
    [InlineData(typeof(Desk))]
    [InlineData(typeof(SingleDesk))]
    public async Task A_method_may_have_more_time_than_a_timer_can_wait(Type grainClass)
    {
        await using var clusters = await StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("leisure", grainClass.FullName);

        await desk.ConfirmAtLeisure(10);

        Assert.Equal(10, await desk.Latest());
    }

    [Fact]
    public async Task A_local_read_that_came_before_the_wait_is_answered_when_the_wait_begins()
    {
        await using var clusters = await StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("before", typeof(Desk).FullName);
        await desk.Confirm(1);
        clusters.Shared.Unreachable = true;
        var confirm = desk.ConfirmWhenFreed(10);
        var look = desk.Look();
        await desk.Free();

        Assert.Equal(11, await look.WaitAsync(Soon, Cancelled));

        Assert.False(confirm.IsCompleted);
        clusters.Shared.Unreachable = false;
        await confirm;
    }

    [Fact]
    public async Task Read_only_calls_are_let_in_nowhere_else()
    {
        await using var clusters = await StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("elsewhere", typeof(Desk).FullName);
        await desk.Confirm(1);
        clusters.Shared.Unreachable = true;
        var hold = desk.Hold();
        var beside = desk.ConfirmBeside(10);
        var look = desk.Look();

        // An interleaving call that comes later is answered, so that the read had its chance.
        await IsNotAnsweredAsync(desk.LatestBriefly());
        Assert.False(look.IsCompleted);
        await desk.Free();
        Assert.Equal(11, await look.WaitAsync(Soon, Cancelled));
        await hold;
        clusters.Shared.Unreachable = false;
        await beside;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_read_only_method_that_raises_an_event_is_told_so_and_nothing_is_raised(bool conditionally)
    {
        await using var clusters = await StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("raise", typeof(Desk).FullName);

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => desk.RaiseWhileReading(conditionally));

        Assert.Contains("[ReadOnly]", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, await desk.Latest());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_confirm_ends_with_its_call_and_the_next_call_has_its_turn_though_the_store_is_still_away(bool cancels)
    {
        await using var clusters = await StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("ends", typeof(Desk).FullName);
        await desk.Confirm(1);
        clusters.Shared.Unreachable = true;
        using var patience = new CancellationTokenSource();
        var confirm = cancels ? desk.ConfirmUnless(10, patience.Token) : desk.ConfirmBriefly(10);
        var next = desk.Add(100);
        Assert.Equal(11, await desk.Look().WaitAsync(Soon, Cancelled));
        await patience.CancelAsync();

        await next.WaitAsync(Soon, Cancelled);
        await IsNotAnsweredAsync(confirm);
        clusters.Shared.Unreachable = false;
        Assert.Equal(111, await desk.Latest());
    }

    [Fact]
    public async Task Reads_that_timed_out_while_the_store_is_away_wait_no_more()
    {
        const int calls = 2_000;
        long givenUp = 0;
        using var meters = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "geo.views.waits_given_up")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        meters.SetMeasurementEventCallback<long>((_, count, _, _) => Interlocked.Add(ref givenUp, count));
        meters.Start();
        await using var clusters = await StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("many", typeof(Desk).FullName);
        await desk.Confirm(1);
        clusters.Shared.Unreachable = true;

        var reads = Enumerable.Range(0, calls).Select(_ => desk.LatestBriefly()).ToArray();
        foreach (var read in reads)
        {
            await IsNotAnsweredAsync(read);
        }

        await Eventually.Is(true, () => Task.FromResult(Interlocked.Read(ref givenUp) >= calls));
    }

    /// <summary>The caller's time is up, or the wait's, whichever is noticed first; or the caller has cancelled.</summary>
    private static async Task IsNotAnsweredAsync(Task call)
    {
        var end = await Record.ExceptionAsync(() => call);
        Assert.True(end is TimeoutException or GeoOutcomeUnknownException or OperationCanceledException, $"It ended with {end}");
    }

    private static Task<GeoTestCluster> StartAsync() => GeoTestCluster.StartAsync(new() { Clusters = ["eu"] });
}
