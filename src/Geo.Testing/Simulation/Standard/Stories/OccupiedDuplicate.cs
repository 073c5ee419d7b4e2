using Geo.Directory;

namespace Geo.Testing;

/// <summary>
/// Calls never end on duplicates that are to be ended. While they have their time to deactivate, callers of their cluster are answered by
/// the owner.
/// </summary>
internal sealed class OccupiedDuplicate(StandardRun run) : SiloStory(run)
{
    private const int Duplicates = 3;

    // Some tries of some round trips each; less than the duplicates have to deactivate.
    private static readonly TimeSpan Answered = TimeSpan.FromSeconds(3);

    private static readonly TimeSpan Often = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(10);

    private bool _isAsked;

    public override async Task RunAsync()
    {
        var (silo, owner) = (AnySilo(Troubled), AnySilo(Other));
        var grains = await DuplicateAsync(silo, Duplicates, owned: Duplicates, owner);
        var keeping = Task.WhenAll(grains.Select(g => KeepAsync(owner, g)));
        foreach (var grain in grains)
        {
            World.Counts.Count("calls that never end");
            _ = CallAsync(silo, grain, g => g.Hang());
        }

        await PassAsync(0, 0.5);
        World.Mend(Troubled, Other);
        await Task.WhenAll(grains.Select(AskAsync));
        _isAsked = true;
        await keeping;
        await World.PassAsync(EndlessCall.DeactivationTimeout);
    }

    /// <summary>Calls the owner's instance, or it would end for being idle.</summary>
    private async Task KeepAsync(SimulatedSilo owner, StandardGrain grain)
    {
        while (!_isAsked)
        {
            await CallAsync(owner, grain);
            await World.PassAsync(Often);
        }
    }

    /// <summary>Calls a grain when its duplicate has begun to end.</summary>
    private async Task AskAsync(StandardGrain grain)
    {
        var caller = AnySilo(Troubled);
        while (World.Watch.StateOf(Troubled.Id, grain.ToString()) is GsiState.Doubtful or GsiState.Requested)
        {
            await World.PassAsync(Glance);
        }

        // Where the owner had left before anybody kept it, the duplicate owns the grain, and has a right to be occupied.
        if (World.Watch.StateOf(Troubled.Id, grain.ToString()) != GsiState.Owned)
        {
            await UntilAnsweredAsync(caller, grain, Answered);
        }
    }
}
