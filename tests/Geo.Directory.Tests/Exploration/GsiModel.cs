namespace Geo.Directory.Tests;

/// <summary>
/// All that can happen to one grain's entries in two or three clusters, one atomic step at a time. The entries change by
/// <see cref="GsiRules"/> alone; the model only says which of their functions may be called when.
/// </summary>
/// <remarks>
/// <para>
/// Messages are never consumed. A request, once sent, may arrive at any later time, any number of times or never, long after its round:
/// this is loss, resending, duplication, delay and reordering in one. The same holds for replies; a round decides with any selection of
/// those that exist, of all its rounds, and, where messages may be lost, with any of them missing.
/// </para>
/// <para>
/// A read and the conditional write on what was read are one step, which is what the store's etags give. At any time a node may be taken
/// for dead, a round for overdue, an instance may end, a Cached entry may be dropped.
/// </para>
/// </remarks>
internal sealed class GsiModel
{
    private static readonly string[] Names = ["a", "b", "c"];
    private static readonly GsiReplyKind[] Kinds = [GsiReplyKind.Pass, GsiReplyKind.Fail, GsiReplyKind.InstanceAt];
    private static readonly bool[] Either = [false, true];

    private readonly Dictionary<GsiEntry, GsiEntry[]> _recoveries = new(ReferenceEqualityComparer.Instance);
    private readonly GsiEntry?[,] _entries = new GsiEntry?[13, 4];
    private readonly ModelRules _rules;
    private readonly int _rounds;
    private readonly bool _mayLose;
    private readonly bool _keepLateReplies;
    private readonly int _replySlots;
    private readonly int _bits;
    private readonly ClusterId[] _clusters;
    private readonly IReadOnlyList<ClusterId>[] _others;
    private readonly MultiClusterConfiguration _configuration;

    /// <param name="rules">The rules.</param>
    /// <param name="clusters">How many clusters.</param>
    /// <param name="rounds">How many rounds each cluster may begin.</param>
    /// <param name="mayLose">Whether a round may decide while replies are missing.</param>
    /// <param name="keepLateReplies">Whether replies of earlier rounds are offered to later ones too.</param>
    public GsiModel(ModelRules rules, int clusters, int rounds, bool mayLose, bool keepLateReplies)
    {
        _replySlots = keepLateReplies ? rounds : 1;
        Assert.True(rounds <= 3 && ModelState.Fits(clusters, _replySlots));
        (_rules, _rounds, _mayLose, _keepLateReplies) = (rules, rounds, mayLose, keepLateReplies);
        _bits = ModelState.BitsPerCluster(clusters, _replySlots);
        _clusters = [.. Names.Take(clusters).Select(n => new ClusterId(n))];
        _configuration = new MultiClusterConfiguration(1, _clusters);
        _others = [.. _clusters.Select(_configuration.Others)];
    }

    /// <summary>In how many clusters the entry is Owned.</summary>
    public int Owners(ModelState state) => Count(state, e => e.State == GsiState.Owned);

    /// <summary>In how many clusters an instance may run.</summary>
    public int Instances(ModelState state) => Count(state, e => e.MayRunHere || e.IsYielding);

    public string Describe(ModelState state) => string.Join("  ", Enumerable.Range(0, _clusters.Length).Select(c =>
    {
        var entry = EntryOf(state, c);
        return $"{_clusters[c]}: {entry.State}{(entry.HasInstance ? "+instance" : "")}{(entry.Owner.IsNone ? "" : ">" + entry.Owner)} "
            + $"round {state.Rounds(c * _bits)} replies {Convert.ToString((long)(state.Bits >> ((c * _bits) + 6)) & ((1L << (_bits - 6)) - 1), 2)}";
    }));

    /// <summary>Every state that one step leads to.</summary>
    public void Successors(ModelState state, List<ModelState> into)
    {
        for (var c = 0; c < _clusters.Length; c++)
        {
            var entry = EntryOf(state, c);
            LocalSteps(state, c, entry, into);
            Decisions(state, c, entry, into);
            for (var d = 0; d < _clusters.Length; d++)
            {
                if (d != c)
                {
                    Arrivals(state, c, d, into);
                }
            }
        }
    }

    private void LocalSteps(ModelState state, int c, GsiEntry entry, List<ModelState> into)
    {
        foreach (var recovered in Recoveries(entry))
        {
            into.Add(With(state, c, recovered));
            if (state.Rounds(c * _bits) < _rounds && !recovered.IsYielding
                && recovered.State is GsiState.Invalid or GsiState.Doubtful or GsiState.Loser)
            {
                into.Add(Begin(state, c, recovered));
            }
        }

        if (entry.State == GsiState.Cached || entry.MayRunHere)
        {
            into.Add(With(state, c, GsiEntry.Invalid));
        }

        if (entry.IsYielding)
        {
            into.Add(With(state, c, GsiRules.Yielded(entry)));
        }
        else if (entry.State == GsiState.Loser)
        {
            into.Add(With(state, c, GsiRules.Withdraw(entry)));
        }
    }

    private ModelState Begin(ModelState state, int c, GsiEntry entry)
    {
        var begun = state.WithOneMoreRound(c * _bits);
        if (!_keepLateReplies)
        {
            begun = WithoutReplies(begun, c);
        }

        return With(begun, c, GsiRules.Begin(entry, "n", 1, begun.Rounds(c * _bits), default));
    }

    /// <summary>A request of <paramref name="c"/>, of its present round or of an earlier one, arrives at <paramref name="d"/>.</summary>
    private void Arrivals(ModelState state, int c, int d, List<ModelState> into)
    {
        var latest = state.Rounds(c * _bits);
        if (latest == 0)
        {
            return;
        }

        foreach (var entry in Recoveries(EntryOf(state, d)))
        {
            var answer = _rules.Answer(entry, _clusters[d], _clusters[c], _configuration);
            var after = With(state, d, answer.Entry);
            if (_keepLateReplies)
            {
                for (var round = 1; round <= latest; round++)
                {
                    into.Add(after.WithReply(c * _bits, Slot(c, d, round), answer.Kind));
                }
            }
            else
            {
                into.Add(after);
                into.Add(Forgetting(after.WithReply(c * _bits, Slot(c, d, 1), answer.Kind), c));
            }
        }
    }

    /// <summary>What a silo may take an entry for: as stored, of a dead node, or of an overdue round.</summary>
    private GsiEntry[] Recoveries(GsiEntry entry)
    {
        if (!_recoveries.TryGetValue(entry, out var recoveries))
        {
            recoveries = [.. Either.SelectMany(alive => Either.Select(overdue => _rules.Recover(entry, alive, overdue))).Distinct()];
            _recoveries.Add(entry, recoveries);
        }

        return recoveries;
    }

    private void Decisions(ModelState state, int c, GsiEntry entry, List<ModelState> into)
    {
        if (entry.IsYielding || entry.State is not (GsiState.Requested or GsiState.Loser))
        {
            return;
        }

        Choose(state, c, entry, [], 0, into);
    }

    private void Choose(ModelState state, int c, GsiEntry entry, GsiReply[] chosen, int other, List<ModelState> into)
    {
        var others = _others[c];
        if (other == others.Count)
        {
            var decision = _rules.Decide(entry, entry.Round, chosen, others, SingleInstanceMode.Optimistic);
            if (!_mayLose && decision.Kind == GsiDecisionKind.Doubt)
            {
                return;
            }

            into.Add(With(state, c, GsiRules.Apply(entry, decision)));
            return;
        }

        // A missing reply; where nothing is lost, the round waits instead, unless another reply settles it.
        Choose(state, c, entry, chosen, other + 1, into);
        var d = Array.IndexOf(_clusters, others[other]);
        var first = _keepLateReplies ? 1 : (int)entry.Round;
        for (var round = first; round <= entry.Round; round++)
        {
            foreach (var kind in Kinds)
            {
                if (state.HasReply(c * _bits, Slot(c, d, _keepLateReplies ? round : 1), kind))
                {
                    var reply = new GsiReply(others[other], round, kind, kind == GsiReplyKind.InstanceAt ? "n" : null);
                    Choose(state, c, entry, [.. chosen, reply], other + 1, into);
                }
            }
        }
    }

    private int Slot(int c, int d, int round) => ((d < c ? d : d - 1) * _replySlots) + round - 1;

    private ModelState With(ModelState state, int c, GsiEntry entry) => Forgetting(state.WithEntry(c * _bits, CodeOf(entry)), c);

    /// <summary>Replies that no decision will look at any more need not be told apart.</summary>
    private ModelState Forgetting(ModelState state, int c) =>
        !_keepLateReplies && EntryOf(state, c) is var entry && (entry.State is not (GsiState.Requested or GsiState.Loser) || entry.IsYielding)
            ? WithoutReplies(state, c)
            : state;

    private ModelState WithoutReplies(ModelState state, int c)
    {
        var offset = c * _bits;
        var replies = _bits - 6;
        return new ModelState(state.Bits & ~(((1ul << replies) - 1) << (offset + 6)));
    }

    private int Count(ModelState state, Func<GsiEntry, bool> what)
    {
        var count = 0;
        for (var c = 0; c < _clusters.Length; c++)
        {
            count += what(EntryOf(state, c)) ? 1 : 0;
        }

        return count;
    }

    // An entry in a round is always in its cluster's latest one; a settled entry's round is never looked at.
    private GsiEntry EntryOf(ModelState state, int c)
    {
        var code = state.Entry(c * _bits);
        var round = state.Rounds(c * _bits);
        return _entries[code, round] ??= code switch
        {
            0 => GsiEntry.Invalid,
            1 or 2 => new GsiEntry { State = GsiState.Requested, Node = "n", Round = round, HasInstance = code == 2 },
            3 or 4 => new GsiEntry { State = GsiState.Loser, Node = "n", Round = round, HasInstance = code == 4 },
            5 => new GsiEntry { State = GsiState.Owned, Node = "n" },
            6 => new GsiEntry { State = GsiState.Doubtful, Node = "n" },
            < 10 => new GsiEntry { State = GsiState.Loser, Node = "n", Round = round, HasInstance = true, Owner = _clusters[code - 7] },
            _ => new GsiEntry { State = GsiState.Cached, Owner = _clusters[code - 10] },
        };
    }

    private int CodeOf(GsiEntry entry) => entry.State switch
    {
        GsiState.Invalid => 0,
        GsiState.Requested => entry.HasInstance ? 2 : 1,
        GsiState.Loser when entry.IsYielding => 7 + Array.IndexOf(_clusters, entry.Owner),
        GsiState.Loser => entry.HasInstance ? 4 : 3,
        GsiState.Owned => 5,
        GsiState.Doubtful => 6,
        _ => 10 + Array.IndexOf(_clusters, entry.Owner),
    };
}
