using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>
/// How far a cluster has come with the versions of the configuration, by its own word. What it says stays true: a silo that starts later
/// starts from <paramref name="Stored"/> or a later version.
/// </summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="Stored">The version that it keeps in its own store: a silo that starts reads that one or a later one.</param>
/// <param name="Digest">
/// Of the document of that version: a word of a document that the present one was not made from, as before a backup was restored, says
/// nothing, whatever its number.
/// </param>
/// <param name="Silos">The version in the lease of each silo that is not fenced off.</param>
/// <param name="Held">
/// How many rows it has that are neither Cached nor Invalid, counted after all silos had processed a version in which it may own nothing;
/// null where that was not counted.
/// </param>
internal sealed record ClusterProgress(
    ClusterId Cluster, long Stored, long Digest, ImmutableSortedDictionary<string, long> Silos, long? Held)
{
    private const byte Form = 3;

    /// <summary>Why a row stays that it holds, for people; null where nothing is known to keep one.</summary>
    public string? Why { get; init; }

    /// <summary>True of a word that a newer build has written: silos of this one leave it as it is.</summary>
    public bool IsNewer { get; private init; }

    /// <summary>Why nothing is known of it; null where its word can be read.</summary>
    public string? NotRead { get; private init; }

    /// <summary>What stands in the place of a word that cannot be read: the cluster has said nothing.</summary>
    public static ClusterProgress Unread(ClusterId cluster, string row, string why, UnreadRow judged) =>
        new(cluster, 0, 0, ImmutableSortedDictionary.Create<string, long>(StringComparer.Ordinal), Held: null)
        {
            IsNewer = judged == UnreadRow.Newer,
            NotRead = $"what cluster '{cluster}' says of itself, row '{row}' of the configuration store, " + judged switch
            {
                UnreadRow.Older => $"was written by an older build of Geo ({why.TrimEnd('.')}). Stop all silos of that cluster, remove the "
                    + "row, and start silos of this build",
                UnreadRow.Newer => $"was written by a newer build of Geo ({why.TrimEnd('.')}). Run that build or a newer one, here and "
                    + "there; do not overwrite the row. Where that cluster has gone back to this build for good and runs no other, remove "
                    + "it: its silos write it anew",
                _ => $"is damaged ({why.TrimEnd('.')}). Each silo of that cluster that runs writes it anew; where none will run again, "
                    + "take the cluster out by force",
            },
        };

    /// <summary>Why bytes are no word that this build reads.</summary>
    public static UnreadRow Judge(ReadOnlySpan<byte> bytes) => RowForm.Judge(bytes, Form);

    /// <exception cref="GeoSerializationException">The bytes are damaged, or of another form.</exception>
    public static ClusterProgress Decode(ClusterId cluster, ReadOnlySpan<byte> bytes)
    {
        var from = new PayloadReader(bytes);
        if (from.ReadByte() is var form && form != Form)
        {
            throw new GeoSerializationException($"The word of a cluster has form {form}; this build of Geo reads form {Form}.");
        }

        var (stored, digest, held, why) = (from.ReadSigned(), from.ReadSigned(), from.ReadSigned(), from.ReadRequiredText());
        var silos = ImmutableSortedDictionary.CreateBuilder<string, long>(StringComparer.Ordinal);
        for (var left = from.ReadCount(); left > 0; left--)
        {
            silos[from.ReadRequiredText()] = from.ReadSigned();
        }

        return new(cluster, stored, digest, silos.ToImmutable(), held < 0 ? null : held) { Why = why.Length == 0 ? null : why };
    }

    public byte[] Encode()
    {
        var to = new PayloadWriter();
        to.WriteByte(Form);
        to.WriteSigned(Stored);
        to.WriteSigned(Digest);
        to.WriteSigned(Held ?? -1);
        to.WriteText(Why ?? "");
        to.WriteUnsigned((ulong)Silos.Count);
        foreach (var (silo, version) in Silos)
        {
            to.WriteText(silo);
            to.WriteSigned(version);
        }

        return to.ToArray();
    }

    /// <summary>
    /// False where another word would take back what this one says. One of another document of the same number, from before a backup was
    /// restored, is not worth keeping.
    /// </summary>
    public bool MayBecome(ClusterProgress other) =>
        (Stored == other.Stored && Digest != other.Digest) || Rank(this).CompareTo(Rank(other)) <= 0;

    /// <summary>True where it speaks of a version, or of one that it was made from.</summary>
    public bool IsOf(ConfigurationDocument now) => now.DigestOf(Stored) == Digest;

    /// <summary>What of the cluster works with an earlier version, or may; null when nothing does.</summary>
    public string? Behind(ConfigurationDocument now) =>
        NotRead is not null ? NotRead
        : Stored >= now.Version && !IsOf(now)
            ? $"cluster '{Cluster}' says how far it has come with a version {Stored} that is not the present one, nor one before it; each "
                + "silo of that cluster that runs says it anew"
        : Lagging(now.Version);

    private string? Lagging(long version) =>
        Stored < version ? $"cluster '{Cluster}' has version {Stored} of the configuration, not yet {version}"
        : Silos.FirstOrDefault(s => s.Value < version) is { Key: { } silo } behind
            ? $"silo '{silo}' of cluster '{Cluster}' has processed version {behind.Value} of the configuration, not yet {version}"
        : null;

    // Within a version all silos come to have processed it, and then a cluster that may own nothing comes to hold nothing.
    private static (long Stored, bool IsProcessed, bool IsEmpty) Rank(ClusterProgress of) =>
        (of.Stored, of is { NotRead: null, Silos.IsEmpty: false } && of.Lagging(of.Stored) is null, of.Held == 0);
}
