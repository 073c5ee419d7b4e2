using System.Buffers.Binary;
using System.Collections.Immutable;
using System.Text;

namespace Geo;

/// <summary>What a silo tells others of some of its grain classes: one fact of each, which must be the same everywhere.</summary>
/// <param name="Facts">The fact of each class, by what its name hashes to.</param>
internal sealed record ClassFacts(ImmutableSortedDictionary<ulong, bool> Facts)
{
    // What a silo knows of its own classes alone; the facts of others come without names.
    private ImmutableDictionary<ulong, string> Names { get; init; } = ImmutableDictionary<ulong, string>.Empty;

    /// <summary>No classes.</summary>
    public static ClassFacts None { get; } = new(ImmutableSortedDictionary<ulong, bool>.Empty);

    /// <summary>The facts of a silo.</summary>
    /// <param name="classes">The names of its classes, as keys of grains have them.</param>
    public static ClassFacts Of(IEnumerable<KeyValuePair<string, bool>> classes)
    {
        var known = classes.Select(c => (Hash: HashOf(c.Key), Name: c.Key, c.Value)).ToList();
        return new(known.ToImmutableSortedDictionary(c => c.Hash, c => c.Value))
        {
            Names = known.ToImmutableDictionary(c => c.Hash, c => c.Name),
        };
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    public static ClassFacts Read(ref PayloadReader from)
    {
        var classes = ImmutableSortedDictionary.CreateBuilder<ulong, bool>();
        foreach (var fact in new[] { false, true })
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

    public void Write(PayloadWriter to)
    {
        foreach (var fact in new[] { false, true })
        {
            var classes = Facts.Where(c => c.Value == fact).ToList();
            var hashes = new byte[sizeof(ulong) * classes.Count];
            for (var i = 0; i < classes.Count; i++)
            {
                BinaryPrimitives.WriteUInt64LittleEndian(hashes.AsSpan(i * sizeof(ulong)), classes[i].Key);
            }

            to.WriteBytes(hashes);
        }
    }

    /// <summary>A class of which both have the fact, and not the same one: its name, and the fact here; null where there is none.</summary>
    /// <remarks>A class that only one of them has is no concern of the other: it may not have come there yet.</remarks>
    public (string Name, bool Here)? FindUnlike(ClassFacts theirs)
    {
        foreach (var (hash, here) in Facts)
        {
            if (theirs.Facts.TryGetValue(hash, out var there) && here != there)
            {
                return (NameOf(hash, theirs), here);
            }
        }

        return null;
    }

    /// <summary>The name of a class of which both have a fact; null where there is none.</summary>
    public string? FindCommon(ClassFacts theirs)
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

    private static ulong HashOf(string name) => StableHash.Hash128(Encoding.UTF8.GetBytes(name)).Low;

    private string NameOf(ulong hash, ClassFacts theirs) =>
        Names.GetValueOrDefault(hash) ?? theirs.Names.GetValueOrDefault(hash) ?? $"{hash:x16}";
}
