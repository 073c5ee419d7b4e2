using System.Buffers.Binary;
using System.Collections.Immutable;
using System.Text;

namespace Geo;

/// <summary>
/// What a silo tells others of when the updates of its volatile classes with an instance in each cluster are confirmed. Where two silos
/// differ in it two leaders may confirm: one alone, and one by a majority that does without it.
/// </summary>
/// <param name="Classes">What the classes ask for, by what their names hash to.</param>
internal sealed record ConfirmationFacts(ImmutableSortedDictionary<ulong, UpdateConfirmation> Classes)
{
    private const string Kind = "when the updates of its classes are confirmed";

    // What a silo knows of its own classes alone; the facts of others come without names.
    private ImmutableDictionary<ulong, string> Names { get; init; } = ImmutableDictionary<ulong, string>.Empty;

    /// <summary>No such classes.</summary>
    public static ConfirmationFacts None { get; } = new(ImmutableSortedDictionary<ulong, UpdateConfirmation>.Empty);

    /// <summary>The facts of a silo.</summary>
    /// <param name="classes">The names of its classes, as keys of grains have them, and what they ask for.</param>
    public static ConfirmationFacts Of(IEnumerable<KeyValuePair<string, UpdateConfirmation>> classes)
    {
        var known = classes.Select(c => (Hash: OwnershipFacts.HashOf(c.Key), Name: c.Key, Confirmation: c.Value)).ToList();
        return new(known.ToImmutableSortedDictionary(c => c.Hash, c => c.Confirmation))
        {
            Names = known.ToImmutableDictionary(c => c.Hash, c => c.Name),
        };
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    public static ConfirmationFacts Read(ref PayloadReader from)
    {
        var classes = ImmutableSortedDictionary.CreateBuilder<ulong, UpdateConfirmation>();
        foreach (var confirmation in Enum.GetValues<UpdateConfirmation>())
        {
            foreach (var hash in OwnershipFacts.ReadHashes(ref from, Kind))
            {
                classes[hash] = confirmation;
            }
        }

        return new(classes.ToImmutable());
    }

    public void Write(PayloadWriter to)
    {
        foreach (var confirmation in Enum.GetValues<UpdateConfirmation>())
        {
            OwnershipFacts.WriteHashes(to, Classes.Where(c => c.Value == confirmation).Select(c => c.Key).ToList());
        }
    }

    /// <summary>What two silos or clusters do not have in common, in words; null where they go together.</summary>
    /// <param name="here">Names the side of these facts.</param>
    /// <param name="there">Names the other side.</param>
    /// <param name="theirs">Its facts.</param>
    /// <remarks>A class that only one of them has is no concern of the other: it may not have come there yet.</remarks>
    public string? DifferenceTo(string here, string there, ConfirmationFacts theirs)
    {
        foreach (var (hash, confirmation) in Classes)
        {
            if (theirs.Classes.TryGetValue(hash, out var another) && confirmation != another)
            {
                var name = Names.GetValueOrDefault(hash) ?? theirs.Names.GetValueOrDefault(hash) ?? $"{hash:x16}";
                return $"the grain class '{name}' has UpdateConfirmation.{confirmation} in {here} and UpdateConfirmation.{another} in "
                    + $"{there}, so that two leaders could confirm its updates; name one Confirmation in [VersionedLeader] in all builds, "
                    + "and, to change it, give the class another name ([GrainType]), or stop all silos of all clusters first, which forgets "
                    + "its grains";
            }
        }

        return null;
    }
}
