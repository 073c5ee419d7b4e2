using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Immutable;
using System.Text;

namespace Geo;

/// <summary>What a silo tells others of some of its grain classes: one fact of each, which must be the same everywhere.</summary>
/// <typeparam name="TFact">What there is to tell of a class: true or false, or one of an enumeration.</typeparam>
/// <param name="Facts">The fact of each class, by what its name hashes to.</param>
internal sealed record ClassFacts<TFact>(ImmutableSortedDictionary<ulong, TFact> Facts)
    where TFact : struct
{
    // In the order in which they travel.
    private static readonly TFact[] Possible =
        typeof(TFact) == typeof(bool) ? (TFact[])(Array)new[] { false, true } : (TFact[])Enum.GetValues(typeof(TFact));

    // What a silo knows of its own classes alone; the facts of others come without names.
    private ImmutableDictionary<ulong, string> Names { get; init; } = ImmutableDictionary<ulong, string>.Empty;

    /// <summary>No classes.</summary>
    public static ClassFacts<TFact> None { get; } = new(ImmutableSortedDictionary<ulong, TFact>.Empty);

    /// <summary>The facts of a silo.</summary>
    /// <param name="classes">The names of its classes, as keys of grains have them.</param>
    public static ClassFacts<TFact> Of(IEnumerable<KeyValuePair<string, TFact>> classes)
    {
        var known = classes.Select(c => (Hash: HashOf(c.Key), Name: c.Key, c.Value)).ToList();
        return new(known.ToImmutableSortedDictionary(c => c.Hash, c => c.Value))
        {
            Names = known.ToImmutableDictionary(c => c.Hash, c => c.Name),
        };
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <param name="from">Where it was written.</param>
    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    public static ClassFacts<TFact> Read(ref PayloadReader from)
    {
        var classes = ImmutableSortedDictionary.CreateBuilder<ulong, TFact>();
        foreach (var fact in Possible)
        {
            var hashes = from.ReadBytes();
            if (hashes.Length % sizeof(ulong) != 0)
            {
                throw new GeoSerializationException("What a silo tells of its grain classes is damaged.");
            }

            for (; !hashes.IsEmpty; hashes = hashes[sizeof(ulong)..])
            {
                classes[BinaryPrimitives.ReadUInt64LittleEndian(hashes)] = fact;
            }
        }

        return new(classes.ToImmutable());
    }

    /// <summary>The form in which they travel: for each possible fact the classes that have it.</summary>
    public void Write(PayloadWriter to)
    {
        foreach (var fact in Possible)
        {
            var hashes = new ArrayBufferWriter<byte>();
            foreach (var (hash, _) in Facts.Where(c => AreAlike(c.Value, fact)))
            {
                BinaryPrimitives.WriteUInt64LittleEndian(hashes.GetSpan(sizeof(ulong)), hash);
                hashes.Advance(sizeof(ulong));
            }

            to.WriteBytes(hashes.WrittenSpan);
        }
    }

    /// <summary>A class of which both have a fact, and not the same one: its name, and the facts; null where there is none.</summary>
    /// <remarks>A class that only one of them has is no concern of the other: it may not have come there yet.</remarks>
    public (string Name, TFact Here, TFact There)? FindUnlike(ClassFacts<TFact> theirs)
    {
        foreach (var (hash, here) in Facts)
        {
            if (theirs.Facts.TryGetValue(hash, out var there) && !AreAlike(here, there))
            {
                return (NameOf(hash, theirs), here, there);
            }
        }

        return null;
    }

    /// <summary>The name of a class of which both have a fact; null where there is none.</summary>
    public string? FindCommon(ClassFacts<TFact> theirs)
    {
        foreach (var hash in Facts.Keys)
        {
            if (theirs.Facts.ContainsKey(hash))
            {
                return NameOf(hash, theirs);
            }
        }

        return null;
    }

    private static bool AreAlike(TFact one, TFact other) => EqualityComparer<TFact>.Default.Equals(one, other);

    private static ulong HashOf(string name) => StableHash.Hash128(Encoding.UTF8.GetBytes(name)).Low;

    private string NameOf(ulong hash, ClassFacts<TFact> theirs) =>
        Names.GetValueOrDefault(hash) ?? theirs.Names.GetValueOrDefault(hash) ?? $"{hash:x16}";
}
