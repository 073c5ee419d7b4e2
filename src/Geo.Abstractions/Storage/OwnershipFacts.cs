using System.Buffers.Binary;
using System.Collections.Immutable;
using System.Text;

namespace Geo;

/// <summary>
/// What a silo tells others of who decides whose a single-instance grain is: the clusters in rounds, or a majority of them in a store.
/// Where two silos differ in it a grain gets an owner by each.
/// </summary>
/// <param name="Store">
/// The store in which a majority keeps the owners, by its <see cref="StoreIdentity"/> and whatever its name; null where no class has
/// <see cref="SingleInstanceMode.Quorum"/>.
/// </param>
/// <param name="Classes">The single-instance classes, by what their names hash to: true where a majority decides.</param>
internal sealed record OwnershipFacts(Guid? Store, ImmutableSortedDictionary<ulong, bool> Classes)
{
    // What a silo knows of its own classes alone; the facts of others come without names.
    private ImmutableDictionary<ulong, string> Names { get; init; } = ImmutableDictionary<ulong, string>.Empty;

    /// <summary>No single-instance classes.</summary>
    public static OwnershipFacts None { get; } = new(null, ImmutableSortedDictionary<ulong, bool>.Empty);

    /// <summary>The facts of a silo.</summary>
    /// <param name="store">The store in which a majority keeps the owners; null for none.</param>
    /// <param name="classes">The names of its single-instance classes, as keys of grains have them; true where a majority decides.</param>
    public static OwnershipFacts Of(Guid? store, IEnumerable<KeyValuePair<string, bool>> classes)
    {
        var known = classes.Select(c => (Hash: HashOf(c.Key), Name: c.Key, IsByMajority: c.Value)).ToList();
        return new(store, known.ToImmutableSortedDictionary(c => c.Hash, c => c.IsByMajority))
        {
            Names = known.ToImmutableDictionary(c => c.Hash, c => c.Name),
        };
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    public static OwnershipFacts Read(ref PayloadReader from)
    {
        var store = StoreFacts.ReadIdentity(ref from);
        var classes = ImmutableSortedDictionary.CreateBuilder<ulong, bool>();
        foreach (var isByMajority in new[] { false, true })
        {
            foreach (var hash in ReadHashes(ref from, "its single-instance classes"))
            {
                classes[hash] = isByMajority;
            }
        }

        return new(store == Guid.Empty ? null : store, classes.ToImmutable());
    }

    public void Write(PayloadWriter to)
    {
        to.WriteBytes((Store ?? Guid.Empty).ToByteArray());
        foreach (var isByMajority in new[] { false, true })
        {
            WriteHashes(to, Classes.Where(c => c.Value == isByMajority).Select(c => c.Key).ToList());
        }
    }

    /// <summary>What two silos or clusters do not have in common, in words; null where they go together.</summary>
    /// <param name="here">Names the side of these facts.</param>
    /// <param name="there">Names the other side.</param>
    /// <param name="theirs">Its facts.</param>
    /// <remarks>A class, or the mode, that only one of them has is no concern of the other: it may not have come there yet.</remarks>
    public string? DifferenceTo(string here, string there, OwnershipFacts theirs)
    {
        foreach (var (hash, isByMajority) in Classes)
        {
            if (theirs.Classes.TryGetValue(hash, out var isByMajorityThere) && isByMajority != isByMajorityThere)
            {
                var name = Names.GetValueOrDefault(hash) ?? theirs.Names.GetValueOrDefault(hash) ?? $"{hash:x16}";
                var (with, without) = isByMajority ? (here, there) : (there, here);
                return $"the grain class '{name}' has SingleInstanceMode.Quorum in {with} and another mode in {without}, so that a grain "
                    + "could get an owner by each; build both with one mode, and, to give a class another one, stop all silos of all "
                    + "clusters first";
            }
        }

        return Store is { } ours && theirs.Store is { } another && ours != another
            ? $"the store in which a majority keeps who owns the grains of SingleInstanceMode.Quorum is not the same in {here} "
                + $"({ours:N}) and in {there} ({another:N}), so that a grain could get an owner in each; have Geo:Quorum:Store "
                + "(QuorumDirectoryOptions.Store) name one store everywhere, set up alike (AddQuorumStore with the same name and clusters)"
            : null;
    }

    /// <summary>What stands for the name of a class.</summary>
    internal static ulong HashOf(string name) => StableHash.Hash128(Encoding.UTF8.GetBytes(name)).Low;

    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    internal static List<ulong> ReadHashes(ref PayloadReader from, string of)
    {
        var bytes = from.ReadBytes();
        var hashes = new List<ulong>();
        if (bytes.Length % sizeof(ulong) != 0)
        {
            throw new GeoSerializationException($"What a silo tells of {of} is damaged.");
        }

        for (; !bytes.IsEmpty; bytes = bytes[sizeof(ulong)..])
        {
            hashes.Add(BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        }

        return hashes;
    }

    internal static void WriteHashes(PayloadWriter to, IReadOnlyList<ulong> classes)
    {
        var hashes = new byte[sizeof(ulong) * classes.Count];
        for (var i = 0; i < classes.Count; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(hashes.AsSpan(i * sizeof(ulong)), classes[i]);
        }

        to.WriteBytes(hashes);
    }
}
