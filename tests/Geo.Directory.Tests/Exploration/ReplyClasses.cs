namespace Geo.Directory.Tests;

/// <summary>
/// The replies that one cluster's round has, told apart only as far as the rules tell them apart: two selections of replies are in one
/// class when, whatever other replies come, the round decides the same (the smallest automaton that decides as the rules do).
/// </summary>
internal sealed class ReplyClasses
{
    private const long Round = 2;

    private static readonly (GsiReplyKind Kind, string? Node)[] Kinds =
    [
        (GsiReplyKind.Pass, null), (GsiReplyKind.Pass, "n"), (GsiReplyKind.Fail, null), (GsiReplyKind.Fail, "n"),
        (GsiReplyKind.InstanceAt, "n"),
    ];

    private static readonly SingleInstanceMode[] Modes = [SingleInstanceMode.Optimistic, SingleInstanceMode.Pessimistic];

    private readonly int[] _next;
    private readonly int[] _decided;
    private readonly int _inputs;
    private readonly int _perOther;

    /// <param name="rules">The rules.</param>
    /// <param name="options">What the model has.</param>
    /// <param name="clusters">The clusters.</param>
    /// <param name="local">Which of them runs the round.</param>
    /// <param name="requested">The entry of the round under way.</param>
    /// <param name="loser">The entry when it has lost.</param>
    public ReplyClasses(ModelRules rules, ModelOptions options, ClusterId[] clusters, int local, GsiEntry requested, GsiEntry loser)
    {
        ClusterId[] others = [.. clusters.Where((_, c) => c != local)];
        int[] answering =
            [.. Enumerable.Range(0, clusters.Length).Where(c => c != local && c != options.Dead).Select(c => c < local ? c : c - 1)];
        _perOther = options.KeepLateReplies ? 2 * KindCount : KindCount;
        _inputs = (others.Length * _perOther) + 1;
        var vectors = (int)Math.Pow(_perOther + 1, others.Length);
        int[] decided = [.. new[] { requested, loser }.SelectMany(entry => Enumerable.Range(0, vectors).Select(v =>
            Decisions(rules, options, clusters[local], others, answering, entry, Slots(v, others.Length))))];

        // The first half are the selections of replies while the round is under way, the second half those when it has lost.
        var next = new int[decided.Length, _inputs];
        for (var v = 0; v < decided.Length; v++)
        {
            for (var input = 0; input < _inputs - 1; input++)
            {
                next[v, input] = v - (v % vectors) + Filled(v % vectors, input);
            }

            next[v, _inputs - 1] = (v % vectors) + vectors;
        }

        var classes = Minimize(decided.Select((d, v) => $"{d} {v < vectors}"), next);
        Count = classes.Max() + 1;
        _next = new int[Count * _inputs];
        _decided = new int[Count];
        for (var v = 0; v < decided.Length; v++)
        {
            _decided[classes[v]] = decided[v];
            for (var input = 0; input < _inputs; input++)
            {
                _next[(classes[v] * _inputs) + input] = classes[next[v, input]];
            }
        }
    }

    public static int KindCount => Kinds.Length;

    /// <summary>How many classes there are; number 0 is that of no reply.</summary>
    public int Count { get; }

    public static int KindOf(GsiAnswer answer) => Array.IndexOf(Kinds, (answer.Kind, answer.Node is null ? null : "n"));

    /// <summary>The class after a further reply; a second one of the same cluster changes nothing.</summary>
    public int With(int replies, int other, int kind, bool late) =>
        _next[(replies * _inputs) + (other * _perOther) + (late ? KindCount : 0) + kind];

    /// <summary>The class when the round has lost.</summary>
    public int Lost(int replies) => _next[(replies * _inputs) + _inputs - 1];

    /// <summary>What the round may come to: the codes of the entries afterwards, as bits.</summary>
    public int Decided(int replies) => _decided[replies];

    private int[] Slots(int vector, int others)
    {
        var slots = new int[others];
        for (var i = 0; i < others; i++)
        {
            (vector, slots[i]) = Math.DivRem(vector, _perOther + 1);
        }

        return slots;
    }

    private int Filled(int vector, int input)
    {
        var (other, kind) = Math.DivRem(input, _perOther);
        var weight = (int)Math.Pow(_perOther + 1, other);
        return vector / weight % (_perOther + 1) == 0 ? vector + ((kind + 1) * weight) : vector;
    }

    private static int Decisions(
        ModelRules rules, ModelOptions options, ClusterId local, ClusterId[] others, int[] answering, GsiEntry entry, int[] slots)
    {
        var replies = slots
            .Select((value, other) => (value, other))
            .Where(slot => slot.value != 0)
            .Select(slot =>
            {
                var (kind, node) = Kinds[(slot.value - 1) % KindCount];
                return new GsiReply(others[slot.other], slot.value <= KindCount ? Round : Round - 1, kind, node);
            })
            .ToArray();

        // Where nothing is lost, a round waits for all replies, or for one that names an owner.
        if (!options.MayLose && !answering.All(other => slots[other] is > 0 && slots[other] <= KindCount)
            && !Array.Exists(replies, r => r is { Round: Round, Kind: GsiReplyKind.InstanceAt }))
        {
            return 0;
        }

        return Modes
            .Select(mode => GsiRules.Apply(entry, rules.Decide(entry, local, Round, replies, others, mode)))
            .Aggregate(0, (codes, after) => codes | (1 << ModelEntries.CodeOf(after)));
    }

    private int[] Minimize(IEnumerable<string> outputs, int[,] next)
    {
        var classes = Numbered(outputs);
        for (var count = 0; count != classes.Max() + 1;)
        {
            count = classes.Max() + 1;
            classes = Numbered(
                classes.Select((own, v) => $"{own} {string.Join(' ', Enumerable.Range(0, _inputs).Select(i => classes[next[v, i]]))}"));
        }

        return classes;
    }

    private static int[] Numbered(IEnumerable<string> signatures)
    {
        var numbers = new Dictionary<string, int>(StringComparer.Ordinal);
        return [.. signatures.Select(s => numbers.TryGetValue(s, out var number) ? number : numbers[s] = numbers.Count)];
    }
}
