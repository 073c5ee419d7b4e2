namespace Geo.Directory.Tests;

/// <summary>
/// All that can happen to one grain's entries in two to five clusters, one atomic step at a time, with any number of rounds. The entries
/// change by <see cref="GsiRules"/> alone; the model only says which of their functions may be called when.
/// </summary>
/// <remarks>
/// <para>
/// Messages are never consumed. A request, once sent, may arrive at any later time, any number of times or never, long after its round:
/// this is loss, resending, duplication, delay and reordering in one. Of a cluster's replies to a round any one may be the one that the
/// round sees; where messages may be lost, it may decide without. In models that keep late replies, it may see one of an earlier round.
/// </para>
/// <para>
/// A read and the conditional write on what was read are one step, which is what the store's etags give. At any time a node may be taken
/// for dead or for unfenced, a round for overdue, an instance may end.
/// </para>
/// <para>
/// A state is 64 bits: for each cluster its entry, the replies to its round (<see cref="ReplyClasses"/>), whether it has begun none, one or
/// more rounds, and, where late replies are kept, which replies exist to earlier rounds and to the present one.
/// </para>
/// </remarks>
internal sealed class GsiModel
{
    private const int EntryBits = 3;
    private const int RepliesAt = EntryBits;
    private const int ReplyBits = 8;
    private const int BegunAt = RepliesAt + ReplyBits;
    private const int EarlierAt = BegunAt + 2;

    private static readonly bool[] Either = [false, true];

    private readonly ModelOptions _options;
    private readonly ClusterId[] _clusters;
    private readonly ReplyClasses[,] _replies;
    private readonly (int Entry, int Kind)[,,][] _answers;
    private readonly int[][] _steps;
    private readonly int[][] _begins;
    private readonly int _begunBits;
    private readonly int _width;

    public GsiModel(ModelRules rules, ModelOptions options)
    {
        _options = options;
        _clusters = [.. "abcde".Take(options.Clusters).Select(name => new ClusterId(name.ToString()))];
        var configuration = new MultiClusterConfiguration(1, _clusters);
        _begunBits = options.KeepLateReplies ? 2 : 1;
        _width = options.KeepLateReplies ? EarlierAt + ((options.Clusters - 1) * 2 * ReplyClasses.KindCount) : BegunAt + _begunBits;
        Assert.True(_width * options.Clusters <= 64);

        var entries = ModelEntries.All;
        var nodes = options.NothingEnds ? [NodeState.Living] : Enum.GetValues<NodeState>();
        var recovered = entries.Select(e => Either.SelectMany(overdue => nodes.Select(node => rules.Recover(e, node, overdue))).ToArray())
            .ToArray();
        _begins = [.. recovered.Select(all => Codes(all
            .Where(e => !e.IsYielding && e.State is GsiState.Invalid or GsiState.Doubtful or GsiState.Loser)
            .Select(e => GsiRules.Begin(e, "n", 1, 2, default, default))))];
        _steps = [.. recovered.Select((all, code) => Codes([.. all, .. Endings(entries[code])], except: code))];

        _replies = new ReplyClasses[options.Clusters, 2];
        _answers = new (int, int)[options.Clusters, options.Clusters, entries.Length][];
        for (var c = 0; c < options.Clusters; c++)
        {
            _replies[c, 0] = new(rules, options, _clusters, c, entries[ModelEntries.Requested], entries[ModelEntries.Loser]);
            _replies[c, 1] = new(
                rules, options, _clusters, c, entries[ModelEntries.RequestedWithInstance], entries[ModelEntries.LoserWithInstance]);
            Assert.True(_replies[c, 0].Count <= 1 << ReplyBits && _replies[c, 1].Count <= 1 << ReplyBits);
            for (var d = 0; d < options.Clusters; d++)
            {
                for (var code = 0; code < entries.Length; code++)
                {
                    _answers[c, d, code] = [.. Either.SelectMany(overdue => nodes.Select(node => rules.Answer(
                            rules.Recover(entries[code], node, overdue), _clusters[d], _clusters[c], configuration, node)))
                        .Select(answer => (ModelEntries.CodeOf(answer.Entry), ReplyClasses.KindOf(answer))).Distinct()];
                }
            }
        }
    }

    /// <summary>The states to begin with.</summary>
    public IEnumerable<ulong> Initial()
    {
        for (var doubtful = 0; doubtful < (_options.BeginsDoubtful ? 1 << _clusters.Length : 1); doubtful++)
        {
            var state = 0ul;
            for (var c = 0; c < _clusters.Length; c++)
            {
                if ((doubtful >> c & 1) != 0 && c != _options.Dead)
                {
                    state = Set(Set(state, c, 0, EntryBits, ModelEntries.Doubtful), c, BegunAt, _begunBits, 1);
                }
            }

            yield return state;
        }
    }

    /// <summary>In how many clusters the entry is Owned.</summary>
    public int Owners(ulong state) => Count(state, 1 << ModelEntries.Owned);

    /// <summary>In how many clusters an instance may run.</summary>
    public int Instances(ulong state) => Count(state, ModelEntries.WithInstance);

    public string Describe(ulong state) => string.Join("  ", Enumerable.Range(0, _clusters.Length).Select(c =>
    {
        var entry = ModelEntries.All[Entry(state, c)];
        var name = $"{(entry.IsYielding ? "Yielding" : entry.State)}{(entry.HasInstance ? "+instance" : "")}";
        return $"{_clusters[c]}: {name} replies {Get(state, c, RepliesAt, ReplyBits)}";
    }));

    /// <summary>Every state that one step leads to.</summary>
    public void Successors(ulong state, List<ulong> into)
    {
        for (var c = 0; c < _clusters.Length; c++)
        {
            if (c == _options.Dead)
            {
                continue;
            }

            LocalSteps(state, c, into);
            for (var d = 0; d < _clusters.Length; d++)
            {
                if (d != c && d != _options.Dead)
                {
                    Arrivals(state, c, d, into);
                    LateReplies(state, c, d, into);
                }
            }
        }
    }

    private IEnumerable<GsiEntry> Endings(GsiEntry entry)
    {
        if (entry.MayRunHere && !_options.NothingEnds)
        {
            yield return GsiEntry.Invalid;
        }

        if (entry.State == GsiState.Owned && _options.Moves)
        {
            var leaving = GsiRules.Leave(entry, new ClusterId("z"), 2, default);
            yield return leaving;
            yield return GsiRules.Left(leaving, default);
        }

        if (entry.IsYielding)
        {
            yield return GsiRules.Yielded(entry);
        }
        else if (entry.State == GsiState.Loser)
        {
            yield return GsiRules.Withdraw(entry);
        }
    }

    private static int[] Codes(IEnumerable<GsiEntry> entries, int? except = null) =>
        [.. entries.Select(ModelEntries.CodeOf).Distinct().Where(code => code != except)];

    private void LocalSteps(ulong state, int c, List<ulong> into)
    {
        var code = Entry(state, c);
        foreach (var next in _steps[code])
        {
            into.Add(With(state, c, next));
        }

        foreach (var begun in _begins[code])
        {
            into.Add(Begin(state, c, begun));
        }

        if (ModelEntries.IsInRound(code))
        {
            var decided = RepliesOf(state, c).Decided(Get(state, c, RepliesAt, ReplyBits));
            for (var next = 0; decided >> next != 0; next++)
            {
                if ((decided >> next & 1) != 0)
                {
                    into.Add(With(state, c, next));
                }
            }
        }
    }

    /// <summary>A request of <paramref name="c"/>, of its present round or of an earlier one, arrives at <paramref name="d"/>.</summary>
    private void Arrivals(ulong state, int c, int d, List<ulong> into)
    {
        var begun = Get(state, c, BegunAt, _begunBits);
        if (begun == 0)
        {
            return;
        }

        var inRound = ModelEntries.IsInRound(Entry(state, c));
        foreach (var (entry, kind) in _answers[c, d, Entry(state, d)])
        {
            var after = With(state, d, entry);
            if (kind < 0)
            {
                into.Add(after);
                continue;
            }

            if (begun > (inRound && _options.KeepLateReplies ? 1 : 0))
            {
                into.Add(Keep(after, c, d, kind, present: false));
            }

            if (inRound)
            {
                after = Keep(after, c, d, kind, present: true);
                into.Add(after);
                into.Add(Receive(after, c, d, kind, late: false));
            }
        }
    }

    private void LateReplies(ulong state, int c, int d, List<ulong> into)
    {
        if (_options.KeepLateReplies && ModelEntries.IsInRound(Entry(state, c)))
        {
            for (var kind = 0; kind < ReplyClasses.KindCount; kind++)
            {
                if (Get(state, c, KeptAt(c, d, present: false) + kind, 1) != 0)
                {
                    into.Add(Receive(state, c, d, kind, late: true));
                }
            }
        }
    }

    private ulong Receive(ulong state, int c, int d, int kind, bool late) =>
        Set(state, c, RepliesAt, ReplyBits, RepliesOf(state, c).With(Get(state, c, RepliesAt, ReplyBits), Other(c, d), kind, late));

    private ulong Keep(ulong state, int c, int d, int kind, bool present) =>
        _options.KeepLateReplies ? Set(state, c, KeptAt(c, d, present) + kind, 1, 1) : state;

    private ulong Begin(ulong state, int c, int code)
    {
        var begun = Get(state, c, BegunAt, _begunBits);
        return Set(Set(With(state, c, 0), c, 0, EntryBits, code), c, BegunAt, _begunBits, Math.Min(begun + 1, _begunBits));
    }

    /// <summary>The state with another entry; where that ends a round, its replies are late from now on.</summary>
    private ulong With(ulong state, int c, int code)
    {
        if (code == ModelEntries.Loser && _options.LosersAreInvalid)
        {
            code = 0;
        }

        var after = Set(state, c, 0, EntryBits, code);
        if (ModelEntries.IsInRound(code))
        {
            var lost = code is ModelEntries.Loser or ModelEntries.LoserWithInstance;
            return lost ? Set(after, c, RepliesAt, ReplyBits, RepliesOf(after, c).Lost(Get(after, c, RepliesAt, ReplyBits))) : after;
        }

        after = Set(after, c, RepliesAt, ReplyBits, 0);
        for (var d = 0; _options.KeepLateReplies && d < _clusters.Length; d++)
        {
            if (d != c)
            {
                var (earlier, present) = (KeptAt(c, d, false), KeptAt(c, d, true));
                var kept = Get(after, c, earlier, ReplyClasses.KindCount) | Get(after, c, present, ReplyClasses.KindCount);
                after = Set(Set(after, c, present, ReplyClasses.KindCount, 0), c, earlier, ReplyClasses.KindCount, kept);
            }
        }

        return after;
    }

    private int Count(ulong state, int codes)
    {
        var count = 0;
        for (var c = 0; c < _clusters.Length; c++)
        {
            count += codes >> Entry(state, c) & 1;
        }

        return count;
    }

    private ReplyClasses RepliesOf(ulong state, int c) => _replies[c, ModelEntries.HasInstance(Entry(state, c)) ? 1 : 0];

    private static int Other(int c, int d) => d < c ? d : d - 1;

    private static int KeptAt(int c, int d, bool present) => EarlierAt + (((Other(c, d) * 2) + (present ? 1 : 0)) * ReplyClasses.KindCount);

    private int Entry(ulong state, int c) => Get(state, c, 0, EntryBits);

    private int Get(ulong state, int c, int at, int bits) => (int)(state >> ((c * _width) + at)) & ((1 << bits) - 1);

    private ulong Set(ulong state, int c, int at, int bits, int value)
    {
        var shift = (c * _width) + at;
        return (state & ~(((1ul << bits) - 1) << shift)) | ((ulong)value << shift);
    }
}
