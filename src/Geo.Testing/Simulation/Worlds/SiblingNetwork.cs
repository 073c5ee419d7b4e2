namespace Geo.Testing;

/// <summary>
/// What the silos of one simulated cluster are to each other: a membership that notices a crash after a while, as a real one does by its
/// probes, and messages that take a little time and are lost where the receiver is down. Under faults messages are lost and late besides,
/// and each silo hears of a change of the membership at a time of its own; all hear of all changes in one order.
/// </summary>
internal sealed class SiblingNetwork(SimulatedCluster cluster)
{
    /// <summary>How long it takes at most until a crash is noticed.</summary>
    public static readonly TimeSpan MaxNoticed = TimeSpan.FromSeconds(3);

    private static readonly TimeSpan MinDelay = TimeSpan.FromMicroseconds(200);
    private static readonly TimeSpan MaxDelay = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan MaxJoined = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan MinNoticed = TimeSpan.FromSeconds(1);

    // How long a silo that was declared dead goes on at most before it learns of it and ends.
    private static readonly TimeSpan MaxLearned = TimeSpan.FromSeconds(4);

    // How late a message is at most that is.
    private static readonly TimeSpan MaxLateness = TimeSpan.FromSeconds(3);

    private readonly Dictionary<string, SiloState> _states = [];
    private readonly Dictionary<string, SimulatedSibling> _present = [];
    private readonly ChoiceTape _choices = cluster.World.Choices.Tape($"siblings {cluster.Id}");

    // What nobody of the cluster was there to notice.
    private readonly List<Action> _unnoticed = [];
    private SiloMembers _members = new([]);
    private int _changes;

    /// <summary>The part of messages that is lost.</summary>
    public double Loss { get; set; }

    /// <summary>The part of messages that arrives up to 3 s late.</summary>
    public double Lateness { get; set; }

    /// <summary>How long it takes at most until a silo has heard of a change of the membership.</summary>
    public TimeSpan MaxHeard { get; set; }

    public VirtualTime Time => cluster.World.Time;

    /// <summary>A silo begins to start.</summary>
    public SimulatedSibling Join(SimulationLane lane)
    {
        var sibling = new SimulatedSibling(this, lane);
        _present[lane.Name] = sibling;
        Witness();
        sibling.Finds(_present.Keys);
        sibling.Hears(_changes, _members);
        if (!cluster.Silos.Any(s => s.IsUp))
        {
            Declare(lane.Name, SiloState.Living);
            return sibling;
        }

        // Those who serve hear of it a little later, and may find rows of a silo that they do not know.
        Time.Schedule(_choices.Between(TimeSpan.Zero, MaxJoined), () =>
        {
            if (!_states.ContainsKey(lane.Name))
            {
                Declare(lane.Name, SiloState.Living);
            }
        });
        return sibling;
    }

    /// <summary>What the membership says of a silo from now on, right or wrong.</summary>
    public void Declare(string node, SiloState state)
    {
        if (_states.GetValueOrDefault(node) == SiloState.Dead)
        {
            // For good: one that stops in order after it was declared dead is not leaving.
            return;
        }

        if (state == SiloState.Dead)
        {
            Find(node)?.IsForsaken();
        }

        _states[node] = state;
        _members = new SiloMembers(_states.Select(member => new SiloMember(member.Key, member.Value)));
        var (change, members) = (++_changes, _members);
        cluster.World.Trace.Note($"{node} {state}");
        foreach (var sibling in _present.Values)
        {
            if (MaxHeard == TimeSpan.Zero)
            {
                sibling.Hears(change, members);
            }
            else
            {
                Time.Schedule(_choices.Between(TimeSpan.Zero, MaxHeard), () => sibling.Hears(change, members));
            }
        }
    }

    /// <summary>A silo is silent from now on: unless it is heard of again, it is declared dead as one that has crashed.</summary>
    /// <param name="node">The silo.</param>
    /// <param name="isSilent">Whether it still is, and in this life.</param>
    /// <param name="declared">Called after it was declared dead.</param>
    public void FallsSilent(string node, Func<bool> isSilent, Action declared) => Notice(() =>
    {
        if (isSilent())
        {
            Declare(node, SiloState.Dead);
            declared();
        }
    });

    /// <summary>There is a silo again that notices who does not answer.</summary>
    public void Witness()
    {
        foreach (var notice in _unnoticed)
        {
            Time.Schedule(_choices.Between(MinNoticed, MaxNoticed), notice);
        }

        _unnoticed.Clear();
    }

    /// <summary>A silo that was declared dead and lives learns of it after a while.</summary>
    public void Tell(Action learn) => Time.Schedule(_choices.Between(TimeSpan.Zero, MaxLearned), learn);

    /// <summary>A silo is gone; after an orderly stop the others know at once.</summary>
    public void Gone(string node, bool inOrder)
    {
        if (!_present.Remove(node))
        {
            return;
        }

        if (inOrder)
        {
            Declare(node, SiloState.Dead);
        }
        else
        {
            Notice(() => Declare(node, SiloState.Dead));
        }
    }

    /// <summary>Somebody notices, after a while; a cluster that is dead as a whole notices nothing before it comes back.</summary>
    private void Notice(Action notice) => Time.Schedule(_choices.Between(MinNoticed, MaxNoticed), () =>
    {
        if (cluster.Silos.Any(s => s is { Present: not null, IsFrozen: false }))
        {
            notice();
        }
        else
        {
            _unnoticed.Add(notice);
        }
    });

    public SimulatedSibling? Find(string node) => _present.GetValueOrDefault(node);

    /// <summary>
    /// Lets something arrive at a silo, as a step of it; it is lost where the silo is down by then, and never sent where the sender crashes
    /// at this point.
    /// </summary>
    public void Carry(SimulationLane to, Action arrive)
    {
        if (!cluster.World.PassesPoint("message to a sibling"))
        {
            return;
        }

        if (_choices.Chance(Loss))
        {
            cluster.World.Counts.Count("messages between silos of a cluster lost");
            return;
        }

        var late = _choices.Chance(Lateness) ? _choices.Between(TimeSpan.Zero, MaxLateness) : TimeSpan.Zero;
        Time.Schedule(late + _choices.Between(MinDelay, MaxDelay), () => to.Post(arrive));
    }
}
