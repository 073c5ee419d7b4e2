namespace Geo.Testing;

/// <summary>Finds out whether transactions are in an order.</summary>
internal static class TransactionOrder
{
    /// <summary>Edges that lead in a circle; null where none do.</summary>
    public static IReadOnlyList<TransactionEdge>? FindCircle(IEnumerable<TransactionEdge> edges)
    {
        var from = edges.DistinctBy(e => (e.Before, e.After)).GroupBy(e => e.Before).ToDictionary(g => g.Key, g => g.ToArray());
        var done = new HashSet<int>();
        foreach (var start in from.Keys)
        {
            var path = new List<TransactionEdge>();
            var onPath = new Dictionary<int, int> { [start] = 0 };
            var open = new Stack<(int Transaction, int Next)>([(start, 0)]);
            while (open.TryPop(out var at))
            {
                var next = from.GetValueOrDefault(at.Transaction) ?? [];
                if (done.Contains(at.Transaction) || at.Next == next.Length)
                {
                    done.Add(at.Transaction);
                    onPath.Remove(at.Transaction);
                    path.RemoveRange(Math.Max(0, path.Count - 1), Math.Min(1, path.Count));
                    continue;
                }

                open.Push(at with { Next = at.Next + 1 });
                var edge = next[at.Next];
                if (onPath.TryGetValue(edge.After, out var place))
                {
                    return [.. path.Skip(place), edge];
                }

                if (!done.Contains(edge.After))
                {
                    path.Add(edge);
                    onPath[edge.After] = path.Count;
                    open.Push((edge.After, 0));
                }
            }
        }

        return null;
    }
}
