namespace Geo.Consistency;

/// <summary>What an instance keeps while something is queued, failing or decided and not shown yet; an idle one has none.</summary>
internal sealed class LeaderWork<TState, TUpdate>
{
    private LeaderDecisions<TState, TUpdate> _deciding;
    private LeaderSearch _search;

    /// <summary>What it decides.</summary>
    internal ref LeaderDecisions<TState, TUpdate> Deciding => ref _deciding;

    /// <summary>Where it sends.</summary>
    internal ref LeaderSearch Search => ref _search;

    /// <summary>Which of its updates may have been decided.</summary>
    internal SentUpdates Sent { get; set; }

    /// <summary>How often it has failed in a row.</summary>
    internal int Failures { get; set; }

    /// <summary>How often one that it asked has named another, in a row.</summary>
    internal int Hops { get; set; }

    /// <summary>The operation that loads the first version, while it is on its way; 0 before and after.</summary>
    internal long Load { get; private set; }

    /// <summary>True once it has been tried to load the first version beside what is raised meanwhile.</summary>
    internal bool HasLoaded { get; private set; }

    /// <summary>True when nothing is lost with it once nothing is queued.</summary>
    private bool IsDone => Load == 0 && Failures == 0 && Hops == 0 && !_search.IsMissing && _deciding.IsShown;

    /// <summary>The first version is asked for by an operation.</summary>
    internal void BeginToLoad(long operation) => (Load, HasLoaded) = (operation, true);

    /// <summary>The answer is there, or is not waited for any more.</summary>
    internal void EndLoad() => Load = 0;

    /// <summary>It has not failed after all.</summary>
    internal void Succeeded()
    {
        (Failures, Hops) = (0, 0);
        _search.Reached();
    }

    /// <summary>Lets one go that is done.</summary>
    internal static void LetGo(ref LeaderWork<TState, TUpdate>? work)
    {
        if (work is { IsDone: true } done)
        {
            work = null;
            (done._deciding, done.Sent, done.HasLoaded) = (default, default, false);
            Spare<LeaderWork<TState, TUpdate>>.Give(done);
        }
    }
}
