namespace Geo.Testing;

/// <summary>How often things happened in one or several simulations: the proof that they were exercised.</summary>
public sealed class SimulationCounts
{
    private readonly SortedDictionary<string, long> _faults = new(StringComparer.Ordinal);

    /// <summary>Rounds begun by directories.</summary>
    public long Rounds { get; internal set; }

    /// <summary>Rows that became Doubtful.</summary>
    public long Doubtful { get; internal set; }

    /// <summary>Rows that became Loser: races between clusters.</summary>
    public long Losers { get; internal set; }

    /// <summary>Rows of dead silos that another silo of their cluster took over without a round.</summary>
    public long TakeOvers { get; internal set; }

    /// <summary>Instances deactivated because another cluster owned the grain.</summary>
    public long DuplicatesHealed { get; internal set; }

    /// <summary>Instances deactivated by their host because they were idle.</summary>
    public long Deactivations { get; internal set; }

    /// <summary>Calls forwarded to another cluster.</summary>
    public long Forwards { get; internal set; }

    /// <summary>Forwarded calls that found no instance.</summary>
    public long StaleCached { get; internal set; }

    /// <summary>Batches of updates that an instance wrote for one of another cluster.</summary>
    public long HandIns { get; internal set; }

    /// <summary>Calls given up because the grain changed places too often.</summary>
    public long NeverPlaced { get; internal set; }

    /// <summary>Messages lost by the network.</summary>
    public long MessagesLost { get; internal set; }

    /// <summary>Requests and store operations that ended as unknown.</summary>
    public long UnknownOutcomes { get; internal set; }

    /// <summary>Conditional writes refused by a store.</summary>
    public long Conflicts { get; internal set; }

    /// <summary>Silos crashed.</summary>
    public long Crashes { get; internal set; }

    /// <summary>Silos stopped in order.</summary>
    public long Stops { get; internal set; }

    /// <summary>Silos that stood still for a while.</summary>
    public long Freezes { get; internal set; }

    /// <summary>How often each kind of trouble that has no count of its own came, by its name.</summary>
    public IReadOnlyDictionary<string, long> Faults => _faults;

    /// <summary>Updates confirmed to a client.</summary>
    public long UpdatesConfirmed { get; internal set; }

    /// <summary>Updates whose outcome no client knows.</summary>
    public long UpdatesOpen { get; internal set; }

    /// <summary>Linearizable reads.</summary>
    public long Reads { get; internal set; }

    /// <summary>Calls that ended as unavailable.</summary>
    public long Unavailable { get; internal set; }

    /// <summary>Connection issues raised by views.</summary>
    public long Issues { get; internal set; }

    /// <summary>Adds another run's counts to these.</summary>
    public void Add(SimulationCounts other)
    {
        ArgumentNullException.ThrowIfNull(other);
        Rounds += other.Rounds;
        Doubtful += other.Doubtful;
        Losers += other.Losers;
        TakeOvers += other.TakeOvers;
        DuplicatesHealed += other.DuplicatesHealed;
        Deactivations += other.Deactivations;
        Forwards += other.Forwards;
        StaleCached += other.StaleCached;
        HandIns += other.HandIns;
        NeverPlaced += other.NeverPlaced;
        MessagesLost += other.MessagesLost;
        UnknownOutcomes += other.UnknownOutcomes;
        Conflicts += other.Conflicts;
        Crashes += other.Crashes;
        Stops += other.Stops;
        Freezes += other.Freezes;
        UpdatesConfirmed += other.UpdatesConfirmed;
        UpdatesOpen += other.UpdatesOpen;
        Reads += other.Reads;
        Unavailable += other.Unavailable;
        Issues += other.Issues;
        foreach (var (kind, count) in other.Faults)
        {
            Count(kind, count);
        }
    }

    /// <inheritdoc/>
    public override string ToString() =>
        $"rounds {Rounds}, races lost {Losers}, doubtful {Doubtful}, taken over {TakeOvers}, duplicates healed {DuplicatesHealed}, "
        + $"deactivations {Deactivations}, "
        + $"forwards {Forwards} (stale {StaleCached}, given up {NeverPlaced}), messages lost {MessagesLost}, unknown outcomes "
        + $"{UnknownOutcomes}, written for others {HandIns}, "
        + $"conflicts {Conflicts}, crashes {Crashes}, stops {Stops}, freezes {Freezes}, updates confirmed {UpdatesConfirmed} (open "
        + $"{UpdatesOpen}), reads {Reads}, "
        + $"unavailable {Unavailable}, connection issues {Issues}, {string.Join(", ", Faults.Select(f => $"{f.Key} {f.Value}"))}";

    internal void Count(string fault, long times = 1) => _faults[fault] = _faults.GetValueOrDefault(fault) + times;
}
