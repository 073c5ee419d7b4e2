using System.Collections.Immutable;
using System.Globalization;

namespace Geo.Directory.Tests;

/// <summary>
/// One grain in three clusters of one to three silos while clusters come and go: a schedule of random steps. What silos decide is the real
/// rules'; the model has messages that are lost, repeated and late, row writes that land later, silos that process no version, start, and
/// run on after they were fenced off.
/// </summary>
internal sealed class ChangingClusters(int seed)
{
    private const int MaxVersions = 7;
    private const int MaxSilos = 8;

    private static readonly ClusterId[] Names = [new("a"), new("b"), new("c")];

    private readonly Random _random = new(seed);
    private readonly List<ConfigurationDocument> _documents = [];
    private readonly Dictionary<ClusterId, long> _stored = [];
    private readonly Dictionary<ClusterId, (long ETag, GsiEntry Entry)> _rows = [];
    private readonly List<ModelSilo> _silos = [];
    private readonly List<ModelMessage> _messages = [];
    private readonly List<Action> _late = [];
    private double _soon;
    private ModelSilo? _asleep;
    private long _lastETag;
    private long _lastRound;

    public int Versions => _documents.Count;

    public int Owned { get; private set; }

    private ConfigurationDocument Now => _documents[^1];

    /// <summary>Runs the schedule.</summary>
    /// <returns>What went wrong; null where nothing did.</returns>
    public string? Run()
    {
        Begin();
        for (var step = 90 + _random.Next(120); step > 0; step--)
        {
            switch (_random.NextDouble())
            {
                case < 0.35:
                    Deliver();
                    break;
                case < 0.42:
                    Land();
                    break;
                case < 0.62:
                    Configure();
                    break;
                case < 0.64:
                    DieOrStart();
                    break;
                default:
                    Act(Any(_silos));
                    break;
            }

            var owners = Names.Where(IsOwned).ToList();
            Owned += owners.Count > 0 ? 1 : 0;
            if (owners.Count > 1)
            {
                return $"{string.Join(" and ", owners)} own the grain in version {Now.Version} of the configuration";
            }
        }

        return null;
    }

    private void Begin()
    {
        _soon = 0.4 + (_random.NextDouble() * 0.5);
        var first = Names.OrderBy(_ => _random.Next()).Take(_random.NextDouble() < 0.6 ? 2 : 3);
        _documents.Add(ConfigurationDocument.First(Guid.Empty, first.Select(c => KeyValuePair.Create(c, ImmutableArray<string>.Empty))));
        foreach (var cluster in Names)
        {
            _stored[cluster] = 1;
            for (var i = _random.Next(2); i >= 0; i--)
            {
                var silo = Start(cluster);
                (silo.Version, silo.Since, silo.Lease, silo.Stage) = (1, 1, 1, ModelStage.Serves);
            }
        }

        _asleep = _random.NextDouble() < 0.4 ? Any(_silos) : null;
    }

    private ModelSilo Start(ClusterId cluster)
    {
        var silo = new ModelSilo(_silos.Count, cluster);
        _silos.Add(silo);
        return silo;
    }

    private T Any<T>(IReadOnlyList<T> of) => of[_random.Next(of.Count)];

    private MultiClusterConfiguration Of(ModelSilo silo) => _documents[(int)silo.Version - 1].ToConfiguration(silo.Cluster);

    private bool IsOwned(ClusterId cluster) =>
        _rows.TryGetValue(cluster, out var row) && row.Entry.State == GsiState.Owned && StateOf(row.Entry) != NodeState.Gone;

    private NodeState StateOf(GsiEntry entry) =>
        entry.Node is { } node && _silos[int.Parse(node, CultureInfo.InvariantCulture)].IsFenced ? NodeState.Gone : NodeState.Living;

    private NodeState NodeOf(GsiEntry entry, ModelSilo seenBy) =>
        GsiRules.NodeOf(entry, StateOf(entry), new(0, seenBy.Version), seenBy.Since);

    private void Replace(ClusterId cluster, GsiEntry entry)
    {
        _lastETag++;
        if (entry.State is GsiState.Invalid or GsiState.Cached)
        {
            _rows.Remove(cluster);
        }
        else
        {
            _rows[cluster] = (_lastETag, entry);
        }
    }

    // A conditional write that takes place now or later, and whose answer may be lost.
    private void Write(ModelSilo silo, long? expected, GsiEntry entry, Action<bool, long> then)
    {
        silo.IsWriting = true;
        if (_random.NextDouble() < _soon)
        {
            Take();
        }
        else
        {
            _late.Add(Take);
        }

        void Take()
        {
            var isExpected = (_rows.TryGetValue(silo.Cluster, out var row) ? row.ETag : (long?)null) == expected;
            if (isExpected)
            {
                Replace(silo.Cluster, entry);
            }

            silo.IsWriting = false;
            if (_random.NextDouble() < 0.95)
            {
                then(isExpected, _lastETag);
            }
        }
    }

    private void Land()
    {
        if (_late.Count > 0)
        {
            var at = _random.Next(_late.Count);
            var take = _late[at];
            _late.RemoveAt(at);
            take();
        }
    }

    private void Deliver()
    {
        if (_messages.Count == 0)
        {
            return;
        }

        var at = _random.Next(_messages.Count);
        var message = _messages[at];
        if (_random.NextDouble() > 0.1)
        {
            _messages.RemoveAt(at);
        }

        if (_random.NextDouble() < 0.05)
        {
            return;
        }

        if (message.Reply is { } reply)
        {
            Hear(message.From, reply);
        }
        else if (_silos.Where(s => s.Cluster == message.To && s.Stage == ModelStage.Serves).ToList() is { Count: > 0 } there)
        {
            _messages.Insert(0, message with { Reply = Answer(Any(there), message) });
        }
    }

    private GsiReply Answer(ModelSilo silo, ModelMessage message)
    {
        var configuration = Of(silo);
        var stored = _rows.TryGetValue(silo.Cluster, out var row) ? row.Entry : GsiEntry.Invalid;
        var from = message.From.Cluster;
        if (configuration.Includes(from))
        {
            var entry = GsiRules.Recover(stored, NodeOf(stored, silo), overdue: false);
            var answer = GsiRules.Answer(entry, silo.Cluster, from, configuration, NodeOf(entry, silo));
            if (answer.Entry != stored)
            {
                Replace(silo.Cluster, answer.Entry);
            }

            return new(silo.Cluster, message.Round, answer.Kind, answer.Node);
        }

        return new(silo.Cluster, message.Round, GsiReplyKind.Fail);
    }

    private void Hear(ModelSilo silo, GsiReply reply)
    {
        if (silo.Round == 0 || silo.Round != reply.Round || silo.Asked is not { } asked || silo.ETag is not { } etag)
        {
            return;
        }

        silo.Replies.TryAdd(reply.From, reply);
        if (silo.Replies.Count < asked.Count)
        {
            return;
        }

        Decide(silo, etag, asked);
    }

    private void Decide(ModelSilo silo, long etag, IReadOnlyList<ClusterId> asked)
    {
        var decision = GsiRules.Decide(
            silo.Requested, silo.Cluster, silo.Round, [.. silo.Replies.Values], asked, SingleInstanceMode.Pessimistic);
        decision = GsiRules.InConfiguration(decision, silo.Cluster, Of(silo));
        silo.Asked = null;
        Write(silo, etag, GsiRules.Apply(silo.Requested, decision), (_, _) => silo.Round = 0);
    }

    private void Configure()
    {
        switch (_random.NextDouble())
        {
            case < 0.3 when Versions < MaxVersions:
                Change();
                break;
            case < 0.6:
                var cluster = Any(Names);
                foreach (var c in _random.NextDouble() < 0.4 ? Names : [cluster])
                {
                    var further = c == cluster && _random.NextDouble() < 0.5 ? _stored[c] + 1 : Now.Version;
                    _stored[c] = Math.Min(further, Now.Version);
                }

                break;
            default:
                foreach (var silo in _random.NextDouble() < 0.4 ? _silos : [Any(_silos)])
                {
                    Process(silo);
                }

                break;
        }
    }

    private void Change()
    {
        List<ClusterProgress> progress = [.. Names.Select(c => new ClusterProgress(
            c, _stored[c], Now.DigestOf(_stored[c]) ?? 0,
            _silos.Where(s => s.Cluster == c && !s.IsFenced && s.Lease > 0)
                .ToImmutableSortedDictionary(s => s.Name, s => s.Lease),
            _rows.ContainsKey(c) ? 1 : 0))];
        var others = Names.Where(c => !Now.Clusters.ContainsKey(c)).ToList();
        var next = ConfigurationRules.Continue(Now, progress);
        if (next is { Next: null, Refused: null })
        {
            next = others.Count > 0 && _random.NextDouble() < 0.7
                ? ConfigurationRules.Add(Now, Any(others), [], progress)
                : ConfigurationRules.Remove(Now, Any([.. Now.Clusters.Keys]), progress);
        }

        if (next.Next is { } document)
        {
            _documents.Add(document);
        }
    }

    // Rule C2: the document, the lease, the document again; later the document and then the lease.
    private void Process(ModelSilo silo)
    {
        var stored = _stored[silo.Cluster];
        switch (silo.Stage)
        {
            case ModelStage.Reads:
                (silo.Version, silo.Since, silo.Stage) = (stored, stored, ModelStage.TakesItsLease);
                break;
            case ModelStage.TakesItsLease:
                (silo.Lease, silo.Stage) = (silo.Version, ModelStage.ReadsAgain);
                break;
            case ModelStage.ReadsAgain when stored > silo.Version:
                (silo.Version, silo.Since, silo.Stage) = (stored, stored, ModelStage.TakesItsLease);
                break;
            case ModelStage.ReadsAgain:
                silo.Stage = ModelStage.Serves;
                break;
            case ModelStage.Serves when !silo.IsFenced && silo != _asleep && _random.NextDouble() < 0.6:
                var isBehind = silo.Version < stored;
                Goes(silo, stored);
                silo.Lease = !isBehind || _random.NextDouble() < 0.6 ? silo.Version : silo.Lease;
                break;
        }
    }

    // As LiveConfiguration does.
    private void Goes(ModelSilo silo, long stored)
    {
        if (stored > silo.Version)
        {
            var (before, after) = (_documents[(int)silo.Version - 1].Clusters, _documents[(int)stored - 1].Clusters);
            silo.Since = stored == silo.Version + 1 && after.Keys.All(before.ContainsKey) ? silo.Since : stored;
            silo.Version = stored;
        }
    }

    private void DieOrStart()
    {
        if (_random.NextDouble() < 0.5)
        {
            Any(_silos).IsFenced = true;
        }
        else if (_silos.Count < MaxSilos)
        {
            Start(Any(Names));
        }
    }

    private void Act(ModelSilo silo)
    {
        if (silo.Stage != ModelStage.Serves || silo.IsWriting || (silo.Round != 0 && _random.NextDouble() < 0.9))
        {
            return;
        }

        var configuration = Of(silo);
        var isThere = _rows.TryGetValue(silo.Cluster, out var row);
        var (etag, stored) = isThere ? (row.ETag, row.Entry) : ((long?)null, GsiEntry.Invalid);
        var isLeaving = configuration.Includes(silo.Cluster) && !configuration.MayOwn(silo.Cluster);
        if (isThere && isLeaving && !SwitchedOff.Is(ProtocolRule.MembersOwn))
        {
            // Rule C8: what it holds, a round under way included, must be met with another etag.
            Write(silo, etag, GsiEntry.Invalid, (_, _) => { });
            return;
        }

        var entry = GsiRules.Recover(stored, NodeOf(stored, silo), overdue: _random.NextDouble() < 0.2);
        if (entry.State == GsiState.Owned)
        {
            if (StateOf(entry) == NodeState.Gone && !silo.IsFenced && configuration.MayOwn(silo.Cluster))
            {
                Write(silo, etag, entry with { Node = silo.Name }, (_, _) => { });
            }
            else if (entry.Node == silo.Name && _random.NextDouble() < 0.3)
            {
                Write(silo, etag, GsiEntry.Invalid, (_, _) => { });
            }
        }
        else if (entry.State is GsiState.Invalid or GsiState.Loser)
        {
            BeginRound(silo, etag, entry, configuration);
        }
    }

    private void BeginRound(ModelSilo silo, long? etag, GsiEntry entry, MultiClusterConfiguration configuration)
    {
        if (!configuration.MayOwn(silo.Cluster)
            && !(SwitchedOff.Is(ProtocolRule.MembersOwn) && configuration.Includes(silo.Cluster)))
        {
            return;
        }

        (silo.Round, silo.ETag, silo.Asked) = (++_lastRound, null, null);
        silo.Replies.Clear();
        silo.Requested = GsiRules.Begin(
            entry, silo.Name, silo.Round, silo.Round, new(0, silo.Version), DateTimeOffset.UnixEpoch);
        Write(silo, etag, silo.Requested, (isStored, now) =>
        {
            if (!isStored)
            {
                silo.Round = 0;
                return;
            }

            // Rule C6: whom to ask is decided once the row is known to be stored.
            (silo.ETag, silo.Asked) = (now, Of(silo).Others(silo.Cluster));
            _messages.AddRange(silo.Asked.Select(to => new ModelMessage(silo, silo.Round, to)));
            if (silo.Asked.Count == 0)
            {
                Decide(silo, now, silo.Asked);
            }
        });
    }
}
