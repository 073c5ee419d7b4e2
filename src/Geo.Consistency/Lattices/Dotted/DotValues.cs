using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>Values by the dot that wrote them: what registers, siblings, counters and flags with removal have in common.</summary>
internal static class DotValues
{
    internal static SmallMap<Dot, T> Merge<T>(
        in SmallMap<Dot, T> mine, CausalContext seen, in SmallMap<Dot, T> others, CausalContext othersSeen)
    {
        var (kept, added) = (0, 0);
        for (var i = 0; i < mine.Count; i++)
        {
            kept += IsKept(mine[i].Key, others, othersSeen) ? 1 : 0;
        }

        for (var i = 0; i < others.Count; i++)
        {
            var (dot, value) = others[i];
            if (mine.TryGetValue(dot, out var present) && !EqualityComparer<T>.Default.Equals(present, value))
            {
                throw new GeoSerializationException($"Two updates have the dot {dot}: a replica's identity is in use twice.");
            }

            added += IsAdded(dot, mine, seen) ? 1 : 0;
        }

        if (added == 0 && kept == mine.Count)
        {
            return mine;
        }

        return kept == 0 && added == others.Count ? others : Both(mine, seen, others, othersSeen);
    }

    internal static int CountSeen<T>(in SmallMap<Dot, T> values, CausalContext seen)
    {
        var count = 0;
        for (var i = 0; i < values.Count; i++)
        {
            count += seen.Contains(values[i].Key) ? 1 : 0;
        }

        return count;
    }

    internal static void Write<T>(LatticeWriter to, in SmallMap<Dot, T> values, Action<LatticeWriter, T> value)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, values, Dot.Write, value);
    }

    internal static SmallMap<Dot, T> Read<T>(ref LatticeReader from, ReadBinary<T> value) => SortedForms.Read(ref from, Dot.Read, value);

    internal static void WriteJson<T>(Utf8JsonWriter to, in SmallMap<Dot, T> values, Action<Utf8JsonWriter, T> value)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, values, Dot.WriteJson, value);
    }

    internal static SmallMap<Dot, T> ReadJson<T>(JsonElement from, Func<JsonElement, T> value) =>
        SortedForms.ReadJson(from, Dot.ReadJson, value);

    private static SmallMap<Dot, T> Both<T>(
        in SmallMap<Dot, T> mine, CausalContext seen, in SmallMap<Dot, T> others, CausalContext othersSeen)
    {
        var both = new List<KeyValuePair<Dot, T>>(mine.Count + others.Count);
        for (var (i, j) = (0, 0); i < mine.Count || j < others.Count;)
        {
            if (j == others.Count || (i < mine.Count && mine[i].Key.CompareTo(others[j].Key) <= 0))
            {
                var entry = mine[i++];
                if (IsKept(entry.Key, others, othersSeen))
                {
                    both.Add(entry);
                }
            }
            else
            {
                var entry = others[j++];
                if (IsAdded(entry.Key, mine, seen))
                {
                    both.Add(entry);
                }
            }
        }

        return SmallMap<Dot, T>.OfSorted(both);
    }

    private static bool IsKept<T>(Dot dot, in SmallMap<Dot, T> others, CausalContext othersSeen) =>
        others.ContainsKey(dot) || !othersSeen.Contains(dot);

    private static bool IsAdded<T>(Dot dot, in SmallMap<Dot, T> mine, CausalContext seen) =>
        !mine.ContainsKey(dot) && !seen.Contains(dot);
}
