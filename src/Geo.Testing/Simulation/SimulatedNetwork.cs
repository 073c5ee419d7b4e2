namespace Geo.Testing;

/// <summary>
/// The network between clusters in virtual time: seeded delays, loss, duplication of one-way messages, reordering between keys, and
/// links that can be cut in one direction or both. Messages of one sender, recipient and partition key keep their order.
/// </summary>
/// <remarks>Runs on the thread of its scheduler only.</remarks>
public sealed class SimulatedNetwork
{
    private readonly Dictionary<ClusterId, List<SimulatedMessenger>> _silos = [];
    private readonly HashSet<(ClusterId From, ClusterId To)> _cut = [];
    private readonly Dictionary<(ClusterId From, ClusterId To), SimulatedWay> _ways = [];
    private readonly Dictionary<(ClusterId From, ClusterId To, PartitionKey Key), TimeSpan> _lastOfKey = [];
    private readonly Dictionary<(ClusterId From, ClusterId To), TimeSpan> _lastOfWay = [];
    private readonly SimulationScheduler _scheduler;
    private readonly ChoiceTape _choices;

    /// <summary>Creates a network without members.</summary>
    /// <param name="scheduler">The scheduler on whose clock messages travel.</param>
    /// <param name="choices">Decides each message's fate.</param>
    /// <param name="options">How the network misbehaves; a reliable one with delays when null.</param>
    /// <param name="trace">Where each message is noted; nowhere when null.</param>
    public SimulatedNetwork(
        SimulationScheduler scheduler, ChoiceTape choices, SimulatedNetworkOptions? options = null, SimulationTrace? trace = null)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        ArgumentNullException.ThrowIfNull(choices);
        (_scheduler, _choices, Options, Trace) = (scheduler, choices, (options ?? new SimulatedNetworkOptions()).Checked(), trace);
    }

    /// <summary>How the network misbehaves from now on.</summary>
    public SimulatedNetworkOptions Options { get; }

    /// <summary>What it has done so far.</summary>
    public SimulatedNetworkCounts Counts { get; } = new();

    internal SimulationTrace? Trace { get; }

    /// <summary>Told of each message that is about to leave a lane; false when it never does, because the lane was halted.</summary>
    internal Func<string, bool>? OnPoint { get; set; }

    /// <summary>Told of each request and one-way message that is handed to the network.</summary>
    internal Action<string>? OnSent { get; set; }

    /// <summary>Told of each reply of a handler.</summary>
    internal Action<string, ReadOnlyMemory<byte>>? OnReply { get; set; }

    internal VirtualTime Time => _scheduler.Time;

    /// <summary>
    /// Gives a silo of a cluster its messenger, whose handlers run on a lane. Of several silos of a cluster any one that serves a service
    /// gets a message for it. When a silo joins a cluster that was known before, the others hear of the link again.
    /// </summary>
    public SimulatedMessenger Join(ClusterId cluster, SimulationLane lane)
    {
        ArgumentNullException.ThrowIfNull(lane);
        var messenger = new SimulatedMessenger(this, cluster, lane);
        if (!_silos.TryGetValue(cluster, out var silos))
        {
            _silos[cluster] = [messenger];
            return messenger;
        }

        silos.RemoveAll(silo => silo.Lane.IsHalted);
        silos.Add(messenger);
        foreach (var other in _silos.Keys.Where(c => c != cluster))
        {
            AnnounceLink(cluster, other);
        }

        return messenger;
    }

    /// <summary>Cuts the way of messages from one cluster to another; the way back stays open.</summary>
    public void Cut(ClusterId from, ClusterId to)
    {
        if (_cut.Add((from, to)))
        {
            Counts.Cuts++;
            Trace?.Note($"cut {from}>{to}");
            AnnounceLinkDown(from, to);
            AnnounceLinkDown(to, from);
        }
    }

    /// <summary>Cuts both ways between a cluster and all others.</summary>
    public void Isolate(ClusterId cluster)
    {
        foreach (var other in _silos.Keys.Where(c => c != cluster))
        {
            Cut(cluster, other);
            Cut(other, cluster);
        }
    }

    /// <summary>The way from one cluster to another: its conditions, where they differ from <see cref="Options"/>.</summary>
    public SimulatedWay Way(ClusterId from, ClusterId to) => _ways.TryGetValue((from, to), out var way) ? way : _ways[(from, to)] = new();

    /// <summary>Holds what is sent from one cluster to another, until <see cref="Release"/>.</summary>
    public void Hold(ClusterId from, ClusterId to)
    {
        Trace?.Note($"hold {from}>{to}");
        Way(from, to).IsHeld = true;
    }

    /// <summary>Lets go on, in its order, what was held.</summary>
    public void Release(ClusterId from, ClusterId to)
    {
        var way = Way(from, to);
        way.IsHeld = false;
        while (way.Held.TryDequeue(out var go))
        {
            go();
        }
    }

    /// <summary>Opens the ways between two clusters again, and lets both hear of the link.</summary>
    public void Mend(ClusterId a, ClusterId b)
    {
        if (_cut.Remove((a, b)) | _cut.Remove((b, a)))
        {
            AnnounceLink(a, b);
        }
    }

    /// <summary>
    /// Opens every cut way again, and lets both ends of each link hear of it; nothing is held any more, and all ways are alike.
    /// </summary>
    public void Heal()
    {
        foreach (var ((from, to), way) in _ways.OrderBy(w => w.Key))
        {
            way.Reset();
            Release(from, to);
        }

        var links = _cut.Select(way => way.From < way.To ? way : (way.To, way.From)).Distinct().Order().ToArray();
        _cut.Clear();
        foreach (var (a, b) in links)
        {
            AnnounceLink(a, b);
        }
    }

    /// <summary>True while messages from one cluster to another are cut off.</summary>
    public bool IsCut(ClusterId from, ClusterId to) => _cut.Contains((from, to));

    /// <summary>True while two clusters can hear each other, which a link takes, and both run.</summary>
    internal bool IsLinked(ClusterId a, ClusterId b) =>
        !IsCut(a, b) && !IsCut(b, a) && _silos.TryGetValue(b, out var silos) && silos.Exists(silo => !silo.Lane.IsHalted);

    internal IEnumerable<ClusterId> Clusters => _silos.Keys;

    internal bool Knows(ClusterId cluster) => _silos.ContainsKey(cluster);

    internal bool Chance(double probability) => _choices.Chance(probability);

    /// <summary>
    /// Sends something on its way; <paramref name="arrive"/> is called when it arrives, and tells whether somebody was there.
    /// </summary>
    internal void Carry(ClusterId from, ClusterId to, PartitionKey? key, string label, Func<bool> arrive)
    {
        var way = Way(from, to);
        if (IsCut(from, to) || Chance(way.Loss ?? Options.Loss))
        {
            Lose(from, to, label);
            return;
        }

        if (way.IsHeld)
        {
            way.Held.Enqueue(() => Carry(from, to, key, label, arrive));
            return;
        }

        Time.Schedule(ArrivalDelay(from, to, key), () =>
        {
            if (IsCut(from, to) || !arrive())
            {
                Lose(from, to, label);
                AnnounceLinkDown(from, to);
                return;
            }

            Trace?.Detail($"arrives {from}>{to} {label}");
        });
    }

    /// <summary>A silo of a cluster to take a message, one that serves it if any does; null when all are down.</summary>
    internal SimulatedMessenger? Receiver(ClusterId cluster, string service, ClusterId sender)
    {
        var live = _silos[cluster].FindAll(silo => !silo.Lane.IsHalted && silo.Hears(sender));
        var serving = live.FindAll(silo => silo.Serves(service));
        var choice = serving.Count > 0 ? serving : live;
        return choice.Count switch
        {
            0 => null,
            1 => choice[0],
            _ => choice[_choices.Next(choice.Count)],
        };
    }

    private void Lose(ClusterId from, ClusterId to, string label)
    {
        Counts.Lost++;
        Trace?.Detail($"loses {from}>{to} {label}");
    }

    private TimeSpan ArrivalDelay(ClusterId from, ClusterId to, PartitionKey? key)
    {
        var now = Time.Elapsed;
        var way = Way(from, to);
        var arrival = now + _choices.Between(way.MinDelay ?? Options.MinDelay, way.MaxDelay ?? Options.MaxDelay);
        if (key is { } partition)
        {
            var keyed = (from, to, partition);
            if (_lastOfKey.TryGetValue(keyed, out var last) && arrival < last)
            {
                arrival = last;
            }

            _lastOfKey[keyed] = arrival;
        }

        if (_lastOfWay.TryGetValue((from, to), out var latest) && arrival < latest)
        {
            Counts.Overtaken++;
        }
        else
        {
            _lastOfWay[(from, to)] = arrival;
        }

        return arrival - now;
    }

    /// <summary>None where no silo of the cluster has started yet.</summary>
    private List<SimulatedMessenger> SilosOf(ClusterId cluster) => _silos.GetValueOrDefault(cluster) ?? [];

    /// <summary>Lets the silos of a cluster notice, some time later, that they have no link to another one.</summary>
    private void AnnounceLinkDown(ClusterId at, ClusterId other) => Time.Schedule(_choices.Between(TimeSpan.Zero, Options.MaxDelay), () =>
    {
        if (!IsLinked(at, other))
        {
            SilosOf(at).ForEach(silo => silo.RaiseLinkDown(other));
        }
    });

    private void AnnounceLink(ClusterId a, ClusterId b)
    {
        foreach (var (at, other) in new[] { (a, b), (b, a) })
        {
            Time.Schedule(_choices.Between(TimeSpan.Zero, Options.MaxDelay), () =>
            {
                if (!IsCut(at, other) && !IsCut(other, at))
                {
                    Trace?.Note($"link {at}-{other} up");
                    SilosOf(at).ForEach(silo => silo.RaiseLinkUp(other));
                }
            });
        }
    }
}
