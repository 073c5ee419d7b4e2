using System.Collections.Immutable;
using System.Text.Json;

namespace Geo.Consistency.Lattices;

internal delegate T ReadBinary<T>(ref LatticeReader from);

/// <summary>
/// The forms of sorted collections, in ascending order without repetition: so equal collections have equal forms, and one only.
/// </summary>
internal static class SortedForms
{
    // A damaged count reserves no more than this.
    private const int MaxGuess = 256;

    internal static ImmutableSortedDictionary<TKey, TValue> NewMap<TKey, TValue>()
        where TKey : notnull => ImmutableSortedDictionary.Create<TKey, TValue>(ValueCodec<TKey>.Default);

    internal static ImmutableSortedSet<T> NewSet<T>()
        where T : notnull => ImmutableSortedSet.Create<T>(ValueCodec<T>.Default);

    internal static bool AreEqual<TKey, TValue>(ImmutableSortedDictionary<TKey, TValue> left, ImmutableSortedDictionary<TKey, TValue> right)
        where TKey : notnull => ReferenceEquals(left, right) || (left.Count == right.Count && left.SequenceEqual(right));

    internal static int Hash<T>(IEnumerable<T> items)
    {
        var hash = default(HashCode);
        foreach (var item in items)
        {
            hash.Add(item);
        }

        return hash.ToHashCode();
    }

    internal static void Write<TKey, TValue>(
        LatticeWriter to, IReadOnlyCollection<KeyValuePair<TKey, TValue>> map, Action<LatticeWriter, TKey> key,
        Action<LatticeWriter, TValue> value) => Write(to, map.Count, map, key, value);

    internal static void Write<TKey, TValue>(
        LatticeWriter to, int count, IEnumerable<KeyValuePair<TKey, TValue>> map, Action<LatticeWriter, TKey> key,
        Action<LatticeWriter, TValue> value)
    {
        to.Body.WriteUnsigned((ulong)count);
        foreach (var entry in map)
        {
            key(to, entry.Key);
            value(to, entry.Value);
        }
    }

    internal static ImmutableSortedDictionary<TKey, TValue> Read<TKey, TValue>(
        ref LatticeReader from, ImmutableSortedDictionary<TKey, TValue> empty, ReadBinary<TKey> key, ReadBinary<TValue> value)
        where TKey : notnull => empty.AddRange(Entries(ref from, empty.KeyComparer, key, value));

    internal static SmallMap<TKey, TValue> Read<TKey, TValue>(ref LatticeReader from, ReadBinary<TKey> key, ReadBinary<TValue> value)
        where TKey : struct, IComparable<TKey> =>
        SmallMap<TKey, TValue>.OfSorted(Entries(ref from, Comparer<TKey>.Default, key, value));

    internal static void WriteJson<TKey, TValue>(
        Utf8JsonWriter to, IEnumerable<KeyValuePair<TKey, TValue>> map, Action<Utf8JsonWriter, TKey> key,
        Action<Utf8JsonWriter, TValue> value)
    {
        to.WriteStartArray();
        foreach (var entry in map)
        {
            to.WriteStartArray();
            key(to, entry.Key);
            value(to, entry.Value);
            to.WriteEndArray();
        }

        to.WriteEndArray();
    }

    internal static ImmutableSortedDictionary<TKey, TValue> ReadJson<TKey, TValue>(
        JsonElement from, ImmutableSortedDictionary<TKey, TValue> empty, Func<JsonElement, TKey> key, Func<JsonElement, TValue> value)
        where TKey : notnull => empty.AddRange(Entries(from, empty.KeyComparer, key, value));

    internal static SmallMap<TKey, TValue> ReadJson<TKey, TValue>(
        JsonElement from, Func<JsonElement, TKey> key, Func<JsonElement, TValue> value)
        where TKey : struct, IComparable<TKey> =>
        SmallMap<TKey, TValue>.OfSorted(Entries(from, Comparer<TKey>.Default, key, value));

    internal static void CheckAscends<T>(int place, T? last, T next, IComparer<T> order)
    {
        if (place > 0 && order.Compare(last, next) >= 0)
        {
            throw LatticeReader.Damaged("holds entries that are not in ascending order");
        }
    }

    private static List<KeyValuePair<TKey, TValue>> Entries<TKey, TValue>(
        ref LatticeReader from, IComparer<TKey> order, ReadBinary<TKey> key, ReadBinary<TValue> value)
    {
        var count = from.Body.ReadCount();
        var entries = new List<KeyValuePair<TKey, TValue>>(Math.Min(count, MaxGuess));
        for (var i = 0; i < count; i++)
        {
            var next = key(ref from);
            CheckAscends(i, i == 0 ? default : entries[^1].Key, next, order);
            entries.Add(new(next, value(ref from)));
        }

        return entries;
    }

    private static List<KeyValuePair<TKey, TValue>> Entries<TKey, TValue>(
        JsonElement from, IComparer<TKey> order, Func<JsonElement, TKey> key, Func<JsonElement, TValue> value)
    {
        var entries = new List<KeyValuePair<TKey, TValue>>();
        foreach (var entry in from.EnumerateArray())
        {
            var next = key(entry[0]);
            CheckAscends(entries.Count, entries.Count == 0 ? default : entries[^1].Key, next, order);
            entries.Add(new(next, value(entry[1])));
        }

        return entries;
    }
}
