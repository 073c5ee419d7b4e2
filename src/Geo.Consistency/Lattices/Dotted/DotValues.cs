using System.Collections.Immutable;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>Values by the dot that wrote them: what registers, siblings, counters and flags with removal have in common.</summary>
internal static class DotValues
{
    internal static ImmutableSortedDictionary<Dot, T> Merge<T>(
        ImmutableSortedDictionary<Dot, T> mine, CausalContext seen, ImmutableSortedDictionary<Dot, T> others, CausalContext othersSeen)
    {
        var merged = mine.ToBuilder();
        foreach (var dot in mine.Keys)
        {
            if (!others.ContainsKey(dot) && othersSeen.Contains(dot))
            {
                merged.Remove(dot);
            }
        }

        foreach (var (dot, value) in others)
        {
            if (!mine.TryGetValue(dot, out var present))
            {
                if (!seen.Contains(dot))
                {
                    merged.Add(dot, value);
                }
            }
            else if (!EqualityComparer<T>.Default.Equals(present, value))
            {
                throw new GeoSerializationException($"Two updates have the dot {dot}: a replica's identity is in use twice.");
            }
        }

        return merged.ToImmutable();
    }

    internal static void Write<T>(LatticeWriter to, ImmutableSortedDictionary<Dot, T> values, Action<LatticeWriter, T> value)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.Write(to, values, Dot.Write, value);
    }

    internal static ImmutableSortedDictionary<Dot, T> Read<T>(ref LatticeReader from, ReadBinary<T> value) =>
        SortedForms.Read(ref from, ImmutableSortedDictionary<Dot, T>.Empty, Dot.Read, value);

    internal static void WriteJson<T>(Utf8JsonWriter to, ImmutableSortedDictionary<Dot, T> values, Action<Utf8JsonWriter, T> value)
    {
        ArgumentNullException.ThrowIfNull(to);
        SortedForms.WriteJson(to, values, Dot.WriteJson, value);
    }

    internal static ImmutableSortedDictionary<Dot, T> ReadJson<T>(JsonElement from, Func<JsonElement, T> value) =>
        SortedForms.ReadJson(from, ImmutableSortedDictionary<Dot, T>.Empty, Dot.ReadJson, value);
}
