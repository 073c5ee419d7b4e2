namespace Geo.Testing;

/// <summary>
/// The phenomena of transactions (Adya, Weak consistency, 1999), as the levels of highly available transactions forbid them. A call
/// outside of a transaction is one by itself. Writes overwrite each other in the order of their stamps.
/// </summary>
internal static class TransactionChecks
{
    /// <summary>G0: transactions that overwrite each other in a circle.</summary>
    public static (string Key, string Text)? DirtyWrites(LevelHistory history) =>
        TransactionOrder.FindCircle(WriteEdges(history)) is { } circle ? (circle[0].From.Key, Text("overwrite each other", circle)) : null;

    /// <summary>G1a, G1b and G1c: what was aborted or was not the last was read; or reading and overwriting go in a circle.</summary>
    public static (string Key, string Text)? DirtyReads(LevelHistory history)
    {
        var writes = Writes(history);
        var last = history.Calls.Where(c => c.Kind == LevelCallKind.Write && c.Transaction != 0)
            .GroupBy(c => (c.Transaction, c.Key)).ToDictionary(g => g.Key, g => g.Last().Update);
        var edges = WriteEdges(history).ToList();
        foreach (var (read, number) in Numbered(history).Where(c => c.Call.Kind != LevelCallKind.Write))
        {
            foreach (var update in read.Seen.Where(writes.ContainsKey))
            {
                var (write, writer) = writes[update];
                if (writer == number)
                {
                    continue;
                }

                if (history.IsAborted(write.Transaction))
                {
                    return (read.Key, $"G1a: the transaction was aborted\n  {write}\n  {read}");
                }

                if (update == read.Update && write.Transaction != 0 && last[(write.Transaction, write.Key)] != update)
                {
                    return (read.Key, $"G1b: the transaction has overwritten it\n  {write}\n  {read}");
                }

                edges.Add(new(writer, number, write, read));
            }
        }

        return TransactionOrder.FindCircle(edges) is { } circle ? (circle[0].From.Key, Text("G1c: follow each other", circle)) : null;
    }

    /// <summary>A transaction that reads a grain twice, and other updates.</summary>
    public static (string Key, string Text)? OtherReads(LevelHistory history)
    {
        var writes = Writes(history);
        foreach (var reads in history.Calls.Where(c => c.Kind == LevelCallKind.Read && c.Transaction != 0)
            .GroupBy(c => (c.Transaction, c.Key)))
        {
            var first = reads.First();
            if (reads.FirstOrDefault(r => !Foreign(r).SequenceEqual(Foreign(first))) is { } other)
            {
                return (reads.Key.Key, $"the transaction reads\n  {first}\n  {other}");
            }

            IEnumerable<long> Foreign(LevelCall read) =>
                read.Seen.Where(u => writes.GetValueOrDefault(u).Number != reads.Key.Transaction).Order();
        }

        return null;
    }

    private static IEnumerable<TransactionEdge> WriteEdges(LevelHistory history)
    {
        foreach (var writes in Numbered(history).Where(c => c.Call.Kind == LevelCallKind.Write && !c.Call.Stamp.Equals(default))
            .GroupBy(c => c.Call.Key))
        {
            var ordered = writes.OrderBy(w => w.Call.Stamp).ToList();
            for (var i = 1; i < ordered.Count; i++)
            {
                if (ordered[i - 1].Number != ordered[i].Number)
                {
                    yield return new(ordered[i - 1].Number, ordered[i].Number, ordered[i - 1].Call, ordered[i].Call);
                }
            }
        }
    }

    private static Dictionary<long, (LevelCall Write, int Number)> Writes(LevelHistory history) =>
        Numbered(history).Where(c => c.Call.Kind == LevelCallKind.Write).ToDictionary(c => c.Call.Update, c => (c.Call, c.Number));

    // Calls outside of transactions have numbers below 0.
    private static IEnumerable<(LevelCall Call, int Number)> Numbered(LevelHistory history) =>
        history.Calls.Select((c, i) => (c, c.Transaction != 0 ? c.Transaction : -1 - i));

    private static string Text(string what, IEnumerable<TransactionEdge> circle) =>
        what + string.Concat(circle.Select(e => $"\n  {e.From}\n    before {e.To}"));
}
