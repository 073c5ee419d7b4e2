using System.Diagnostics;

namespace Geo.Testing;

/// <summary>
/// Makes the choices of a failing run fewer and milder for as long as the same invariant breaks: first the order of steps, then whole
/// faults and calls, then the network and the stores, at last single choices. What it ends with fails still, and is as a rule short enough
/// to be read.
/// </summary>
/// <remarks>
/// After the manner of Hypothesis: it knows nothing of what is chosen, only that fewer and smaller choices make a simpler run.
/// </remarks>
internal sealed class Shrinker(Func<Choices, RunEnd> run, ShrinkOptions options)
{
    private readonly Stopwatch _spent = Stopwatch.StartNew();
    private RunEnd _best = null!;

    /// <summary>How many runs it took.</summary>
    public int Runs { get; private set; }

    private bool IsSpent => Runs >= options.MaxRuns || _spent.Elapsed >= options.MaxTime;

    /// <summary>Shrinks the choices of a run that failed.</summary>
    public RunEnd Shrink(RunEnd failed)
    {
        _best = failed;
        Empty("order");
        for (var before = long.MaxValue; Size(_best.Record) < before && !IsSpent;)
        {
            before = Size(_best.Record);
            foreach (var purpose in Purposes())
            {
                DropSpans(purpose);
            }

            foreach (var purpose in Purposes())
            {
                Empty(purpose);
                Halve(purpose);
                CutShort(purpose);
            }

            ZeroParts("order");
        }

        return _best;
    }

    private static long Size(ChoiceRecord record) =>
        record.Tapes.Values.Sum(t => t.Values.Sum(v => 1L + (v > 0 ? 1 + (long)Math.Log2(v) : 0)));

    private string[] Purposes() => [.. _best.Record.Tapes.Keys];

    private ChoiceTapeRecord Tape(string purpose) => _best.Record.Tapes.TryGetValue(purpose, out var tape) ? tape : new([], []);

    /// <summary>Leaves out operations and faults, half of them at first, one at last.</summary>
    private void DropSpans(string purpose)
    {
        for (var chunk = Math.Max(1, Outer(Tape(purpose)).Count / 2); chunk >= 1; chunk /= 2)
        {
            for (var first = 0; !IsSpent; first += chunk)
            {
                var tape = Tape(purpose);
                var spans = Outer(tape);
                if (first >= spans.Count)
                {
                    break;
                }

                var dropped = spans.Skip(first).Take(chunk).ToArray();
                if (TryTape(purpose, [.. tape.Values.Where((_, i) => !Array.Exists(dropped, s => i >= s.Start && i < s.End))]))
                {
                    first -= chunk;
                }
            }
        }
    }

    private void Empty(string purpose)
    {
        if (Tape(purpose).Values.Any(v => v != 0))
        {
            TryTape(purpose, []);
        }
    }

    private void Halve(string purpose)
    {
        while (!IsSpent && Tape(purpose).Values.Any(v => v != 0) && TryTape(purpose, [.. Tape(purpose).Values.Select(v => v / 2)]))
        {
            // As long as it helps.
        }
    }

    private void CutShort(string purpose)
    {
        while (!IsSpent && Tape(purpose).Values is { Count: > 1 } values && TryTape(purpose, [.. values.Take(values.Count / 2)]))
        {
            // As long as it helps.
        }
    }

    /// <summary>Lets stretches of a tape be as mild as they can, long ones first.</summary>
    private void ZeroParts(string purpose)
    {
        for (var length = Tape(purpose).Values.Count; length >= 1 && !IsSpent; length /= 2)
        {
            for (var start = 0; start < Tape(purpose).Values.Count && !IsSpent; start += length)
            {
                var values = Tape(purpose).Values;
                if (values.Skip(start).Take(length).Any(v => v != 0))
                {
                    TryTape(purpose, [.. values.Select((v, i) => i >= start && i < start + length ? 0 : v)]);
                }
            }
        }
    }

    /// <summary>Spans that lie in no other.</summary>
    private static List<ChoiceSpan> Outer(ChoiceTapeRecord tape)
    {
        var outer = new List<ChoiceSpan>();
        foreach (var span in tape.Spans.Where(s => s.End > s.Start).OrderBy(s => s.Start).ThenByDescending(s => s.End))
        {
            if (outer.Count == 0 || span.Start >= outer[^1].End)
            {
                outer.Add(span);
            }
        }

        return outer;
    }

    private bool TryTape(string purpose, IReadOnlyList<int> values)
    {
        if (IsSpent)
        {
            return false;
        }

        Runs++;
        var tapes = _best.Record.Tapes.ToDictionary(
            t => t.Key, t => t.Key == purpose ? new ChoiceTapeRecord(values, []) : t.Value, StringComparer.Ordinal);
        var given = new ChoiceRecord(_best.Seed, tapes);
        var end = run(new Choices(given));
        var used = Used(given, end.Record);
        var isBetter = end.Invariant == _best.Invariant && Size(used) < Size(_best.Record);
        _best = isBetter ? end with { Record = used } : _best;
        return isBetter;
    }

    /// <summary>
    /// What a run took of the choices that it was given, with the spans that it made of them. What it drew past the end says nothing: those
    /// are zeros.
    /// </summary>
    private static ChoiceRecord Used(ChoiceRecord given, ChoiceRecord drawn) => given with
    {
        Tapes = given.Tapes.Where(t => drawn.Tapes.ContainsKey(t.Key))
            .ToDictionary(t => t.Key, t => Used(t.Value, drawn.Tapes[t.Key]), StringComparer.Ordinal),
    };

    private static ChoiceTapeRecord Used(ChoiceTapeRecord given, ChoiceTapeRecord drawn)
    {
        var values = given.Values.Take(drawn.Values.Count).ToArray();
        return new(values, [.. drawn.Spans.Where(s => s.End <= values.Length)]);
    }
}
