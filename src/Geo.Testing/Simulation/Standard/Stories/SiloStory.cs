namespace Geo.Testing;

/// <summary>
/// A situation into which a run is led in place of random faults, because they would seldom come to it: what happens is told, when and
/// to whom is the seed's. Clients call meanwhile as in any run, and all that is watched in any run is watched.
/// </summary>
internal abstract class SiloStory(StandardRun run)
{
    private int _keys;

    protected SimulationWorld World => run.World;

    /// <summary>Decides the details.</summary>
    protected ChoiceTape Choices { get; } = run.World.Choices.Tape("story");

    /// <summary>The cluster that has the trouble. Where two have a grain each, it is the other one's.</summary>
    protected SimulatedCluster Troubled => World.Clusters[0];

    protected SimulatedCluster Other => World.Clusters[1];

    /// <summary>The story of a run.</summary>
    public static SiloStory Of(StandardRun run) => run.Story switch
    {
        StandardStory.ReturningCluster => new ReturningCluster(run),
        StandardStory.ShortLives => new ShortLives(run),
        StandardStory.SuspectedDuplicate => new SuspectedDuplicate(run),
        StandardStory.OvertakenRound => new OvertakenRound(run),
        StandardStory.BrokenRerun => new BrokenRerun(run),
        StandardStory.LostStore => new LostStore(run),
        StandardStory.SharedTrouble => new SharedTrouble(run),
        StandardStory.LingeringCall => new LingeringCall(run),
        StandardStory.LateStore => new LateStore(run),
        StandardStory.HiddenDoubt => new HiddenDoubt(run),
        StandardStory.EndlessCall => new EndlessCall(run),
        StandardStory.OccupiedDuplicate => new OccupiedDuplicate(run),
        StandardStory.DeadOwner => new DeadOwner(run),
        StandardStory.LostPlace => new LostPlace(run),
        _ => throw new ArgumentOutOfRangeException(nameof(run), run.Story, "The run has no such story."),
    };

    /// <summary>Lets it happen. Ends when nothing of it is to come.</summary>
    public abstract Task RunAsync();

    /// <summary>A grain that no client calls.</summary>
    /// <param name="isPessimistic">Its mode.</param>
    protected StandardGrain NewGrain(bool isPessimistic = false) =>
        new(isPessimistic ? typeof(PessimisticLedger) : typeof(OptimisticLedger), $"story-{++_keys}");

    protected SimulatedSilo AnySilo(SimulatedCluster cluster) => cluster.Silos[Choices.Next(cluster.Silos.Count)];

    protected TimeSpan Seconds(double min, double max) => Choices.Between(TimeSpan.FromSeconds(min), TimeSpan.FromSeconds(max));

    protected Task PassAsync(double min, double max) => World.PassAsync(Seconds(min, max));

    /// <summary>Calls from within a silo; true when the call was answered.</summary>
    protected static async Task<bool> CallAsync(SimulatedSilo silo, StandardGrain grain, Func<ILogGrain, Task>? call = null)
    {
        var end = CallEnd.Failed;
        return silo.IsUp
            && await silo.RunAsync(async () => end = (await grain.From(silo.Grains).TryAsync(call ?? (g => g.Peek()))).End)
            && end == CallEnd.Answered;
    }

    /// <summary>
    /// Calls from within a silo, again and again without waiting for what hangs, until one call is answered; the run fails when that takes
    /// longer than it may.
    /// </summary>
    protected async Task UntilAnsweredAsync(SimulatedSilo silo, StandardGrain grain, TimeSpan within)
    {
        var answered = false;
        var limit = World.Time.Elapsed + within;
        while (!answered)
        {
            _ = TryAsync();
            await World.PassAsync(TimeSpan.FromMilliseconds(100));
            if (!answered && World.Time.Elapsed > limit)
            {
                World.Fail($"{grain} has not answered in {silo} for {within.TotalSeconds:0.0} s");
                return;
            }
        }

        async Task TryAsync() => answered |= await CallAsync(silo, grain);
    }

    /// <summary>Starts a silo that is down, as often as its host gives up.</summary>
    protected async Task StartAsync(SimulatedSilo silo)
    {
        while (silo.Present is null)
        {
            try
            {
                await silo.StartAsync();
            }
            catch (GeoUnavailableException e)
            {
                World.Trace.Note($"{silo} does not start: {e.Message}");
                await World.PassAsync(TimeSpan.FromMilliseconds(100));
            }
        }
    }

    /// <summary>
    /// Makes duplicates of new grains: a silo of the troubled cluster, which is cut off from then on, makes instances of its own beside
    /// those of the other cluster.
    /// </summary>
    /// <param name="silo">The silo.</param>
    /// <param name="count">How many.</param>
    /// <param name="owned">How many of them the other cluster owns; it has the others in doubt, too.</param>
    /// <param name="owner">The silo of the other cluster that has those; any when null.</param>
    /// <returns>Those of which it has come to that.</returns>
    protected async Task<IReadOnlyList<StandardGrain>> DuplicateAsync(
        SimulatedSilo silo, int count, int owned, SimulatedSilo? owner = null)
    {
        StandardGrain[] grains = [.. Enumerable.Range(0, count).Select(_ => NewGrain())];
        await Task.WhenAll([.. grains[..owned].Select(g => CallAsync(owner ?? AnySilo(Other), g))]);
        World.Partition(Troubled, Other);
        await Task.WhenAll([.. grains[owned..].Select(g => CallAsync(AnySilo(Other), g))]);
        var there = await Task.WhenAll([.. grains.Select(g => CallAsync(silo, g))]);
        return [.. grains.Where((_, i) => there[i])];
    }
}
