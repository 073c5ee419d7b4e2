using Geo.Experiments.Soak;
using Geo.Processes;
using Geo.Processes.Stores;

namespace Geo.Experiments.Tests.Soak;

/// <summary>Children of a run that is stopped by a key press, or that are ended while somebody asks them.</summary>
public sealed class ChildrenTests : IDisposable
{
    private readonly ChildLog _log = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_key_press_that_reaches_the_whole_group_leaves_the_end_of_a_child_to_its_parent()
    {
        await using var child = await StartAsync();

        await child.SignalAsync("INT");
        Assert.Equal(0, await child.AskAsync<string, long>("served", cancellationToken: Stop));

        await child.StopAsync();
        Assert.True(child.HasExited);
        Assert.False(child.Failed.IsCompleted);
    }

    [Fact]
    public async Task Whoever_asks_a_process_that_is_ended_hears_that_it_was()
    {
        var child = await StartAsync();
        await child.SignalAsync("STOP");
        var asked = child.AskAsync<string, long>("served", cancellationToken: Stop);
        var asking = child.AskAsync<string, long>("served", cancellationToken: Stop);

        await child.DisposeAsync();

        await Assert.ThrowsAsync<ChildFailedException>(() => asked);
        await Assert.ThrowsAsync<ChildFailedException>(() => asking);
    }

    public void Dispose() => _log.Dispose();

    private async Task<ChildProcess> StartAsync()
    {
        var settings = new StoreSettings(StoreKind.Memory, Path: null, OperationsPerSecond: 1_000, MaxQueued: 10);
        var child = ChildProcess.Start("the store", ProgramStart.Of(typeof(SoakRun).Assembly, StoreRole.Name), settings, _log);
        await child.ReadyAsync<string>(Stop);
        return child;
    }
}
