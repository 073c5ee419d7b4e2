// Longer than most: a schedule's events and what is checked of them read together, beside the model in which they were designed.
using System.Collections.Immutable;

namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>
/// One random schedule of the leader-based protocol's rules: clusters that ask, append, decide and read, whose messages are lost, doubled,
/// held and reordered, whose memories are lost, and whose configurations change one cluster after the other.
/// </summary>
internal sealed class ExploredWorld
{
    private const int MaxMessages = 24;

    private readonly ExploredSetting _setting;
    private readonly Random _random;
    private readonly ReplicaConfiguration[] _configurations;
    private readonly ClusterId[] _clusters;
    private readonly Dictionary<ClusterId, ExploredNode> _nodes = [];
    private readonly List<Action> _network = [];
    private readonly ExploredHistory _history = new();
    private readonly int[] _incarnations;
    private int _begun;
    private int _step;
    private int _injected;
    private int _lossesLeft;

    internal ExploredWorld(ExploredSetting setting, int seed)
    {
        (_setting, _random, _lossesLeft) = (setting, new Random(seed), setting.Losses);

        // In no order, as those that ship: of two memories of a cluster neither is known to be the later one.
        _incarnations = [.. Enumerable.Range(1, byte.MaxValue)];
        new Random(seed).Shuffle(_incarnations);
        _configurations = new ReplicaConfiguration[setting.Configurations.Length];
        for (var i = 0; i < _configurations.Length; i++)
        {
            _configurations[i] = new(i + 1, Named(setting.Configurations[i]), i == 0 ? [] : _configurations[i - 1].Clusters);
        }

        _clusters = [.. _configurations.SelectMany(c => c.Clusters).Distinct().Order()];
        // Half of the schedules begin with seats, as after a first term; in the others nobody has memory.
        foreach (var cluster in _clusters)
        {
            _nodes[cluster] = new(
                new(cluster, NextIncarnation()) { IsSeated = seed % 2 == 0 && _configurations[0].Includes(cluster) }, 0);
        }
    }

    internal int Reads { get; private set; }

    internal int Terms { get; private set; }

    internal int Refusals { get; private set; }

    internal int Confirmed => _history.Length;

    /// <summary>How many batches came of which the number may be forgotten.</summary>
    internal int Forgets { get; private set; }

    internal int Losses => _history.Losses;

    internal void Run()
    {
        for (_step = 1; _step <= _setting.Steps; _step++)
        {
            if (_network.Count > 0 && _random.NextDouble() < 0.62)
            {
                Deliver();
            }
            else
            {
                Act(_nodes[_clusters[_random.Next(_clusters.Length)]]);
            }
        }

        foreach (var node in _nodes.Values)
        {
            node.Check(_history);
        }
    }

    private long NextIncarnation() => _incarnations[_begun++];

    private static ImmutableArray<ClusterId> Named(string clusters) => [.. clusters.Select(c => new ClusterId(c.ToString()))];

    private ReplicaConfiguration ConfigurationOf(ExploredNode node) => _configurations[node.Configuration];

    private void Deliver()
    {
        var i = _random.Next(_network.Count);
        var message = _network[i];
        var chance = _random.NextDouble();
        if (chance is < 0.06 or >= 0.16)
        {
            _network[i] = _network[^1];
            _network.RemoveAt(_network.Count - 1);
        }

        if (chance >= 0.06)
        {
            message();
        }
    }

    private void Act(ExploredNode node)
    {
        var replica = node.Replica;
        switch (_random.NextDouble())
        {
            case < 0.30:
                Raise(node);
                break;
            case < 0.42:
                Read(node);
                break;
            case < 0.62 when replica.Leadership is null:
                SendBatch(node, read: null);
                break;
            case < 0.62:
                Tell(node);
                break;
            case < 0.80:
                if (ConfigurationOf(node).Includes(replica.Cluster) && (replica.Leadership is null || _random.Next(4) == 0))
                {
                    Ask(node);
                }

                break;
            case < 0.86:
                LoseMemory(node);
                break;
            case < 0.93:
                HandOver(node);
                break;
            default:
                Configure(node);
                break;
        }
    }

    private void Raise(ExploredNode node)
    {
        if (node.Queue.LastSequence < 4)
        {
            node.Raise(isConditional: _random.NextDouble() < 0.4);
        }

        if (node.Replica.Leadership is null)
        {
            SendBatch(node, read: null);
        }
        else
        {
            DecideOwn(node);
            Tell(node);
        }
    }

    private void Read(ExploredNode node)
    {
        var replica = node.Replica;
        var read = new ExploredRead(_history.Losses, _history.Length, replica.Log.Step, 0, replica.Incarnation);
        if (replica.Leadership is null)
        {
            SendBatch(node, read);
            return;
        }

        Tell(node, round => node.Reads.Add(read with { Round = round }));
        Progress(node);
    }

    private void SendBatch(ExploredNode node, ExploredRead? read)
    {
        var replica = node.Replica;
        var to = replica.Highest.IsNone ? ConfigurationOf(node).Clusters[0] : replica.Highest.Cluster;
        if (to == replica.Cluster)
        {
            Ask(node);
        }
        else if (!to.IsNone)
        {
            var (from, incarnation, term, sent) = (replica.Cluster, replica.Incarnation, replica.Highest, node.Next(replica.Shown.Step));
            Send(() => TakeBatch(_nodes[to], from, incarnation, term, sent, read));
        }
    }

    private void TakeBatch(
        ExploredNode node, ClusterId from, long incarnation, Term term, (UpdateBatch Batch, ExploredOp[] Ops) sent, ExploredRead? read)
    {
        Array.ForEach(sent.Ops, op => op.Times = (op.Times.Sent, op.Times.Arrived + 1));
        node.Replica = node.Replica.Hear(from, incarnation, term);
        if (node.Replica.Leadership is null)
        {
            return;
        }

        if (!TryDecide(node, sent))
        {
            Send(() => _nodes[from].Forgotten(incarnation, sent.Ops));
        }

        var reply = LeaderDeciding.Tell(node.Replica, from, 0, withLog: true);
        var leader = node.Replica.Cluster;
        Send(() => TakeReply(_nodes[from], leader, reply, read));
    }

    private void TakeReply(ExploredNode node, ClusterId leader, Append reply, ExploredRead? read)
    {
        var isAdopted = TakeAppend(node, leader, reply);
        if (read is not null && read.Instance == node.Replica.Incarnation && isAdopted
            && (reply.ConfirmsAtOnce || LeaderRules.IsOff(LeaderRule.Outsider)))
        {
            Reads++;
            _history.Read(read, node.Replica.Log.State);
        }
    }

    private bool TakeAppend(ExploredNode node, ClusterId leader, Append append)
    {
        (node.Replica, var answer) = LeaderFollowing.Take(node.Replica, leader, append);
        var from = node.Replica.Cluster;
        Send(() =>
        {
            var to = _nodes[leader];
            to.Replica = LeaderDeciding.Take(to.Replica, from, append.Term, answer);
            Progress(to);
        });
        Progress(node);
        return answer.Kind == AppendAnswerKind.Adopted;
    }

    private void DecideOwn(ExploredNode node)
    {
        var sent = node.Next(node.Replica.Log.Step);
        if (!TryDecide(node, sent))
        {
            node.GiveUp();
        }

        Progress(node);
    }

    /// <summary>Decides on a batch; false when it may have been decided under a number that is forgotten.</summary>
    private bool TryDecide(ExploredNode node, (UpdateBatch Batch, ExploredOp[] Ops) sent)
    {
        var (batch, ops) = sent;
        if (batch.Count == 0)
        {
            return true;
        }

        var log = node.Replica.Log;
        var decision = BatchRules.Decide(batch, log);
        if (decision.IsForgotten || decision.Skip == batch.Count)
        {
            Forgets += decision.IsForgotten ? 1 : 0;
            return !decision.IsForgotten;
        }

        var state = log.State;
        foreach (var op in ops.Skip(decision.Skip).Take(decision.Apply))
        {
            if (op.Group is not null && !state.Span.SequenceEqual(op.Ghost))
            {
                throw new ExplorationException("a conditional update was accepted on another base");
            }

            state = ExploredHistory.With(state.Span, batch.Instance, op.Sequence);
        }

        Refusals += decision.IsRefused ? 1 : 0;
        var next = LeaderDeciding.After(
            log, batch.Instance, new(batch.LastSequence, decision.IsRefused), decision.Apply, state, _setting.MaxInstances);
        node.Replica = LeaderDeciding.Decide(node.Replica, node.Replica.Led, next)!;
        Progress(node);
        return true;
    }

    private void Tell(ExploredNode node, Action<long>? onRound = null)
    {
        node.Replica = LeaderDeciding.BeginRound(node.Replica);
        var leading = node.Replica.Leadership!;
        onRound?.Invoke(leading.Round);
        foreach (var to in leading.Configuration.Clusters.Where(c => c != node.Replica.Cluster))
        {
            var hasAll = leading.Acks.TryGetValue(to, out var ack) && ack.Step == node.Replica.Log.Step;
            var append = LeaderDeciding.Tell(node.Replica, to, leading.Round, withLog: !hasAll);
            var leader = node.Replica.Cluster;
            Send(() => TakeAppend(_nodes[to], leader, append));
        }
    }

    private void Ask(ExploredNode node)
    {
        if (LeaderElection.AskFor(node.Replica, ConfigurationOf(node), _setting.IsLostWhole ? _step : 0) is not { } asking)
        {
            return;
        }

        node.Replica = asking.Replica;
        var (from, ask) = (node.Replica.Cluster, asking.Ask);
        foreach (var to in ConfigurationOf(node).Asked.Where(c => c != from))
        {
            Send(() =>
            {
                var asked = _nodes[to];
                (asked.Replica, var answer) = LeaderElection.Answer(asked.Replica, from, ask, ConfigurationOf(asked));
                Send(() => TakeAnswer(_nodes[from], to, ask.Term, answer));
            });
        }

        Begin(node, LeaderElection.TryBegin(node.Replica, _setting.Confirmation));
    }

    private void TakeAnswer(ExploredNode node, ClusterId from, Term asked, AskAnswer answer) =>
        Begin(node, LeaderElection.Take(node.Replica, from, asked, answer, _setting.Confirmation));

    private void Begin(ExploredNode node, LeaderReplica next)
    {
        var hasBegun = next.Leadership is not null && next.Led != node.Replica.Led;
        node.Replica = next;
        if (!hasBegun)
        {
            return;
        }

        Terms++;
        if (next.Log.State.Length < _history.Confirmed.Length && _nodes.Values.All(n => n.Replica.Promised <= next.Log.At))
        {
            throw new ExplorationException("a term began without a confirmed update");
        }

        node.Reads.Clear();
        Progress(node);
        DecideOwn(node);
        Tell(node);
    }

    private void LoseMemory(ExploredNode node)
    {
        var replica = node.Replica;
        if (_lossesLeft == 0 || (_setting.Confirmation != UpdateConfirmation.Leader && !FewBlank(_injected, node)))
        {
            return;
        }

        _lossesLeft--;
        if (_setting.Confirmation == UpdateConfirmation.Leader)
        {
            StateLoss(node);
        }

        _nodes[replica.Cluster] = new(new(replica.Cluster, NextIncarnation()), node.Configuration);
    }

    /// <summary>What no other replica of the configuration has adopted is lost with the last leader, as the rule says.</summary>
    private void StateLoss(ExploredNode node)
    {
        var at = node.Replica.Log.At;
        var leaderLives = at.Cluster != node.Replica.Cluster && _nodes.GetValueOrDefault(at.Cluster)?.Replica.Incarnation == at.Incarnation;
        if (leaderLives || _nodes.Values.Any(n => n.Replica.Log.At > at))
        {
            return;
        }

        var others = _configurations[_injected].Clusters.Intersect(_configurations[Math.Max(0, _injected - 1)].Clusters)
            .Where(c => c != node.Replica.Cluster).Select(c => _nodes[c].Replica.Log.State).ToList();
        var kept = _history.Length;
        while (kept > 0 && !others.Any(o => o.Span.StartsWith(_history.Confirmed.Span[..(kept * ExploredHistory.OpBytes)])))
        {
            kept--;
        }

        _history.Lose(kept);
        foreach (var other in _nodes.Values)
        {
            other.Shown = other.Shown[..Math.Min(other.Shown.Length, kept * ExploredHistory.OpBytes)];
        }
    }

    private bool FewBlank(int configuration, ExploredNode? lost = null)
    {
        for (var k = Math.Max(0, configuration - 1); k <= configuration; k++)
        {
            var clusters = _configurations[k].Clusters;
            if (clusters.Count(c => _nodes[c] == lost || !_nodes[c].Replica.IsSeated) >= (clusters.Length / 2) + 1)
            {
                return false;
            }
        }

        return true;
    }

    private void HandOver(ExploredNode node)
    {
        var to = _clusters[_random.Next(_clusters.Length)];
        if (node.Replica.Leadership is not { } leading || to == node.Replica.Cluster || !leading.Configuration.Includes(to))
        {
            return;
        }

        node.Replica = node.Replica with { IsHandingOver = true };
        var (from, incarnation, term) = (node.Replica.Cluster, node.Replica.Incarnation, node.Replica.Led);
        Send(() =>
        {
            var successor = _nodes[to];
            successor.Replica = successor.Replica.Hear(from, incarnation, term);
            if (successor.Replica.Leadership is null)
            {
                Ask(successor);
            }
        });
    }

    private void Configure(ExploredNode node)
    {
        if (node.Configuration < _injected)
        {
            node.Configuration++;
            node.Replica = LeaderDeciding.Process(node.Replica, ConfigurationOf(node), _setting.Confirmation);
            node.Reads.Clear();
        }
        else if (_injected + 1 < _configurations.Length && IsProcessed()
            && (_setting.Confirmation == UpdateConfirmation.Leader || FewBlank(_injected)))
        {
            _injected++;
        }
    }

    private bool IsProcessed() => LeaderRules.IsOff(LeaderRule.Processed) || _nodes.Values.All(n =>
        n.Configuration == _injected && n.Replica.HasProcessed(ConfigurationOf(n).Number));

    private void Send(Action message)
    {
        if (_network.Count < MaxMessages)
        {
            _network.Add(message);
        }
    }

    /// <summary>Shows what is confirmed now, tells the instance its decisions, and ends the leader's reads that may end.</summary>
    private void Progress(ExploredNode node)
    {
        var replica = node.Replica;
        var shown = replica.Shown.State;
        if (!shown.Span.SequenceEqual(node.Shown.Span))
        {
            if (!shown.Span.StartsWith(node.Shown.Span))
            {
                throw new ExplorationException("the version shown went back or changed");
            }

            node.Shown = shown;
            _history.Confirm(shown);
        }

        node.Settle();
        if (replica.Leadership is not { } leading)
        {
            return;
        }

        var isLeader = leading.Confirmation == UpdateConfirmation.Leader;
        for (var i = node.Reads.Count - 1; i >= 0; i--)
        {
            var read = node.Reads[i];
            if (isLeader || leading.IsAcknowledged(replica.Cluster, read.Step, LeaderRules.IsOff(LeaderRule.ReadRound) ? 0 : read.Round))
            {
                Reads++;
                _history.Read(read, replica.Shown.State);
                node.Reads.RemoveAt(i);
            }
        }
    }
}
