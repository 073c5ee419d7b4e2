using Geo.Directory;

namespace Geo.Testing;

/// <summary>
/// A call never ends on an instance that is a duplicate and is to be ended. It occupies that instance until the time to deactivate is up,
/// and nobody else: other duplicates are ended meanwhile, and other grains answer.
/// </summary>
internal sealed class EndlessCall(StandardRun run) : SiloStory(run)
{
    /// <summary>How long an instance has to deactivate: longer than the story waits for the others.</summary>
    public static readonly TimeSpan DeactivationTimeout = TimeSpan.FromSeconds(12);

    /// <summary>How long the directory waits for it.</summary>
    public static readonly TimeSpan EndTimeout = TimeSpan.FromSeconds(1);

    private const int Others = 3;

    public override async Task RunAsync()
    {
        var silo = AnySilo(Troubled);
        if (await DuplicateAsync(silo, 1, owned: 1) is not [var occupied])
        {
            return;
        }

        World.Counts.Count("calls that never end");
        _ = CallAsync(silo, occupied, g => g.Hang());
        await PassAsync(0, 0.5);
        World.Mend(Troubled, Other);
        await PassAsync(1.5, 2.5);
        var others = await DuplicateAsync(silo, Others, owned: Others);
        World.Mend(Troubled, Other);
        var within = Impatience.Directory.RoundLifetime + (3 * Impatience.Directory.ResolveInterval) + EndTimeout;
        await World.PassAsync(within);
        foreach (var other in others.Where(o => World.Watch.StateOf(Troubled.Id, o.ToString()) is not (GsiState.Invalid or GsiState.Owned)))
        {
            World.Fail($"{other} is still in doubt in {Troubled} while a call on {occupied} does not end");
        }

        if (others.Count > 0 && !await CallAsync(silo, others[0]))
        {
            World.Fail($"{others[0]} cannot be called in {silo} while a call on {occupied} does not end");
        }

        await World.PassAsync(DeactivationTimeout);
    }
}
