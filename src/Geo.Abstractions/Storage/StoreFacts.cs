using System.Collections.Immutable;

namespace Geo;

/// <summary>What a cluster tells the others of its stores, each by its <see cref="StoreIdentity"/>.</summary>
/// <param name="Rows">The store of the directory's rows, which no other cluster may use; null where it cannot be anybody else's.</param>
/// <param name="Shared">
/// The stores whose values grains of several clusters use, by name; <see cref="Guid.Empty"/> for one that need not be shared.
/// </param>
internal sealed record StoreFacts(Guid? Rows, ImmutableSortedDictionary<string, Guid> Shared)
{
    private const int IdentityBytes = 16;

    /// <summary>The store in which the clusters change while silos run; null where they are those of the settings.</summary>
    public Guid? Configuration { get; init; }

    /// <summary>Who decides whose a single-instance grain is, and where that stands.</summary>
    public OwnershipFacts Ownership { get; init; } = OwnershipFacts.None;

    /// <summary>Where coordination-free grains have replicas.</summary>
    public LatticeFacts Lattices { get; init; } = LatticeFacts.None;

    /// <summary>When the updates of volatile classes are confirmed.</summary>
    public ConfirmationFacts Confirmations { get; init; } = ConfirmationFacts.None;

    /// <summary>No stores.</summary>
    public static StoreFacts None { get; } = new(null, ImmutableSortedDictionary.Create<string, Guid>(StringComparer.Ordinal));

    /// <summary>Reads what <see cref="ToBytes"/> wrote; nothing for no bytes.</summary>
    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    public static StoreFacts Read(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            return None;
        }

        var reader = new PayloadReader(bytes);
        var (rows, configuration) = (ReadIdentity(ref reader), ReadIdentity(ref reader));
        var ownership = OwnershipFacts.Read(ref reader);
        var shared = ImmutableSortedDictionary.CreateBuilder<string, Guid>(StringComparer.Ordinal);
        for (var left = reader.ReadCount(); left > 0; left--)
        {
            shared[reader.ReadRequiredText()] = ReadIdentity(ref reader);
        }

        return new(Known(rows), shared.ToImmutable())
        {
            Configuration = Known(configuration),
            Ownership = ownership,

            // What an older version does not tell.
            Lattices = reader.Rest.IsEmpty ? LatticeFacts.None : new(ClassFacts<bool>.Read(ref reader)),
            Confirmations = reader.Rest.IsEmpty ? ConfirmationFacts.None
                : new(ClassFacts<UpdateConfirmation>.Read(ref reader)),
        };
    }

    /// <summary>The form in which they travel.</summary>
    public byte[] ToBytes()
    {
        var writer = new PayloadWriter();
        writer.WriteBytes((Rows ?? Guid.Empty).ToByteArray());
        writer.WriteBytes((Configuration ?? Guid.Empty).ToByteArray());
        Ownership.Write(writer);
        writer.WriteUnsigned((ulong)Shared.Count);
        foreach (var (name, identity) in Shared)
        {
            writer.WriteText(name);
            writer.WriteBytes(identity.ToByteArray());
        }

        Lattices.Classes.Write(writer);
        Confirmations.Classes.Write(writer);
        return writer.ToArray();
    }

    /// <summary>What stands against two clusters working together, in words that fit both; null when nothing does.</summary>
    /// <param name="own">The cluster of these facts.</param>
    /// <param name="other">The other cluster.</param>
    /// <param name="theirs">What it tells.</param>
    /// <remarks>A store that only one of them uses is no concern of the other: its grain classes may not have come there yet.</remarks>
    public string? ConflictWith(ClusterId own, ClusterId other, StoreFacts theirs)
    {
        ArgumentNullException.ThrowIfNull(theirs);
        var (first, second) = own.CompareTo(other) < 0 ? (own, other) : (other, own);
        if (Rows is { } rows && rows == theirs.Rows)
        {
            return $"clusters '{first}' and '{second}' keep their directories' rows in one store ({rows:N}), which each would take for "
                + "its own;"
                + " give each cluster a row store of its own (UseRowStore)";
        }

        if (Configuration != theirs.Configuration)
        {
            return Configuration is { } ours && theirs.Configuration is { } another
                ? $"clusters '{first}' and '{second}' have different configuration stores ({ours:N}, {another:N}), so that a grain could "
                    + "get an owner in both; name one ConfigurationStore, which all clusters reach"
                : $"of clusters '{first}' and '{second}' one goes by a configuration store and one by the clusters in its settings, so "
                    + "that a grain could get an owner in both; name the ConfigurationStore in all clusters, or in none";
        }

        var (mine, yours) = own == first ? (this, theirs) : (theirs, this);
        if (mine.DifferenceInClasses($"cluster '{first}'", $"cluster '{second}'", yours) is { } difference)
        {
            return difference;
        }

        if (FindUnlike(theirs) is not var (name, here, there))
        {
            return null;
        }

        var (of, and) = own == first ? (here, there) : (there, here);
        return $"the store '{name}' of cluster '{first}' ({Word(of)}) is not the store '{name}' of cluster '{second}' ({Word(and)}), and "
            + "grains that"
            + " work in both clusters keep their values there; give all clusters one store of that name, which all of them reach, or, for a"
            + " demonstration in which grains may lose their values, set AllowUnsharedStores in all of them";
    }

    /// <summary>What stands against two silos of one cluster working together; null when nothing does.</summary>
    /// <param name="node">The other silo.</param>
    /// <param name="theirs">What it tells.</param>
    public string? DifferenceWithin(string node, StoreFacts theirs)
    {
        ArgumentNullException.ThrowIfNull(theirs);
        if (Rows is { } rows && theirs.Rows is { } their && rows != their)
        {
            return $"this silo keeps its directory's rows in another store ({rows:N}) than silo '{node}' of the same cluster ({their:N}), "
                + "so that a grain could"
                + " get an owner in both; give all silos of the cluster one row store, which all of them reach: a file or the memory of "
                + "one machine is not";
        }

        return DifferenceInClasses("this silo", $"silo '{node}' of the same cluster", theirs) is { } difference ? difference
            : FindUnlike(theirs) is var (name, here, there)
            ? $"the store '{name}' of this silo ({Word(here)}) is not the store '{name}' of silo '{node}' of the same cluster "
                + $"({Word(there)}), and"
                + " grains that move between them keep their values there; give all silos one store of that name, which all of them reach"
            : null;
    }

    private string? DifferenceInClasses(string here, string there, StoreFacts theirs) =>
        Ownership.DifferenceTo(here, there, theirs.Ownership)
        ?? Lattices.DifferenceTo(here, there, Ownership.Classes, theirs.Lattices, theirs.Ownership.Classes)
        ?? Confirmations.DifferenceTo(here, there, theirs.Confirmations);

    /// <summary>A store that both use under one name and is not the same: which one it is here, and which there.</summary>
    private (string Name, Guid Here, Guid There)? FindUnlike(StoreFacts theirs)
    {
        foreach (var (name, here) in Shared)
        {
            if (theirs.Shared.TryGetValue(name, out var there) && there != here)
            {
                return (name, here, there);
            }
        }

        return null;
    }

    private static Guid? Known(Guid identity) => identity == Guid.Empty ? null : identity;

    private static string Word(Guid identity) => identity == Guid.Empty ? "AllowUnsharedStores" : identity.ToString("N");

    internal static Guid ReadIdentity(ref PayloadReader reader) =>
        reader.ReadBytes() is { Length: IdentityBytes } bytes ? new Guid(bytes)
            : throw new GeoSerializationException("A store's identity is not 16 bytes.");
}
