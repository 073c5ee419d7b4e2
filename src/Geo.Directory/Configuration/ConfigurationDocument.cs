using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>
/// The clusters of the multi-cluster: one value in a store that all of them reach, replaced by compare-and-swap, each version made from the
/// one before by <see cref="ConfigurationRules"/>.
/// </summary>
/// <param name="Version">Grows by one with each change.</param>
/// <param name="Lineage">Drawn with the first version: what another store holds is another lineage.</param>
/// <param name="Clusters">The clusters: all of them are asked in rounds.</param>
internal sealed record ConfigurationDocument(
    long Version, Guid Lineage, ImmutableSortedDictionary<ClusterId, ConfiguredCluster> Clusters)
{
    private const byte Form = 2;

    private const string Anew = $"Stop all silos of all clusters, remove '{ConfigurationDocuments.Key}' and the rows below it from the "
        + $"configuration store, and '{StoredConfiguration.Key}' from every row store, and start silos of one build.";

    private const int MaxClusters = 1000;
    private const int MaxAncestors = 256;
    private const int LineageBytes = 16;

    /// <summary>
    /// The digests of the versions that it was made from, the last one first, up to 256: by them a version is told from one of a higher
    /// number that was made from a backup.
    /// </summary>
    public ImmutableArray<long> Ancestors { get; init; } = [];

    /// <summary>Tells documents of one version apart, and those made from different ones; never 0.</summary>
    public long Digest => unchecked((long)StableHash.Hash128(Encode()).Low | 1);

    /// <summary>The first version: the clusters of the settings, all of them members.</summary>
    public static ConfigurationDocument First(Guid lineage, IEnumerable<KeyValuePair<ClusterId, ImmutableArray<string>>> clusters) => new(
        1,
        lineage,
        clusters.ToImmutableSortedDictionary(c => c.Key, c => new ConfiguredCluster(ClusterStage.Member, c.Value)));

    /// <summary>Why bytes are no document that this build reads.</summary>
    public static UnreadRow Judge(ReadOnlySpan<byte> bytes) => RowForm.Judge(bytes, Form);

    /// <summary>The next version, made from this one.</summary>
    public ConfigurationDocument Next(ImmutableSortedDictionary<ClusterId, ConfiguredCluster> clusters) => this with
    {
        Version = Version + 1,
        Clusters = clusters,
        Ancestors = [Digest, .. Ancestors.Take(MaxAncestors - 1)],
    };

    /// <summary>True where this version is known to have been made from an earlier one, by however many changes.</summary>
    public bool Follows(ConfigurationDocument earlier) =>
        Version > earlier.Version && DigestOf(earlier.Version) == earlier.Digest;

    /// <summary>The digest of this version, or of one that it was made from; null of others, and of those more than 256 behind.</summary>
    public long? DigestOf(long version) =>
        version == Version ? Digest
        : version < Version && Version - version <= Ancestors.Length ? Ancestors[(int)(Version - version - 1)]
        : null;

    /// <summary>Reads what stands somewhere, and says of what cannot be read what it is and what to do.</summary>
    /// <param name="bytes">What stands there.</param>
    /// <param name="where">Where that is, as the subject of a sentence.</param>
    /// <param name="repair">What to do if it is damaged, in sentences.</param>
    /// <exception cref="GeoSerializationException">It is damaged, or an older or newer build of Geo has written it.</exception>
    public static ConfigurationDocument Decode(ReadOnlySpan<byte> bytes, string where, string repair)
    {
        try
        {
            return Decode(bytes);
        }
        catch (GeoSerializationException e)
        {
            var why = e.Message.TrimEnd('.');
            throw new GeoSerializationException(
                Judge(bytes) switch
                {
                    UnreadRow.Older => $"{where} was written by an older build of Geo ({why}). {Anew}",
                    UnreadRow.Newer => $"{where} was written by a newer build of Geo ({why}). Run that build or a newer one; do not "
                        + "overwrite it, and do not remove it.",
                    _ => $"{where} is damaged ({why}). {repair}",
                },
                e);
        }
    }

    /// <exception cref="GeoSerializationException">The bytes are no document.</exception>
    public static ConfigurationDocument Decode(ReadOnlySpan<byte> bytes)
    {
        var from = new PayloadReader(bytes);
        if (from.ReadByte() is var form && form != Form)
        {
            throw new GeoSerializationException($"A configuration has form {form}; this build of Geo reads form {Form}.");
        }

        var (version, lineage, count) = ((long)from.ReadUnsigned(), from.ReadBytes().ToArray(), from.ReadUnsigned());
        var clusters = ImmutableSortedDictionary.CreateBuilder<ClusterId, ConfiguredCluster>();
        for (; count > 0 && clusters.Count < MaxClusters; count--)
        {
            var (name, stage, points) = (from.ReadRequiredText(), (ClusterStage)from.ReadByte(), from.ReadCount());
            var addresses = ImmutableArray.CreateBuilder<string>();
            for (; points > 0; points--)
            {
                addresses.Add(from.ReadRequiredText());
            }

            clusters[Named(name)] = Enum.IsDefined(stage) ? new(stage, addresses.ToImmutable()) : throw Damaged();
        }

        var ancestors = ImmutableArray.CreateBuilder<long>();
        for (var left = from.ReadCount(); left > 0; left--)
        {
            ancestors.Add(from.ReadSigned());
        }

        return version > 0 && lineage.Length == LineageBytes && count == 0 && clusters.Count > 0
            && ancestors.Count == Math.Min(version - 1, MaxAncestors) && from.Rest.IsEmpty
            ? new(version, new Guid(lineage), clusters.ToImmutable()) { Ancestors = ancestors.ToImmutable() }
            : throw Damaged();
    }

    public byte[] Encode()
    {
        var to = new PayloadWriter();
        to.WriteByte(Form);
        to.WriteUnsigned((ulong)Version);
        to.WriteBytes(Lineage.ToByteArray());
        to.WriteUnsigned((ulong)Clusters.Count);
        foreach (var (cluster, configured) in Clusters)
        {
            to.WriteText(cluster.Name);
            to.WriteByte((byte)configured.Stage);
            to.WriteUnsigned((ulong)configured.EntryPoints.Length);
            foreach (var address in configured.EntryPoints)
            {
                to.WriteText(address);
            }
        }

        to.WriteUnsigned((ulong)Ancestors.Length);
        foreach (var ancestor in Ancestors)
        {
            to.WriteSigned(ancestor);
        }

        return to.ToArray();
    }

    /// <summary>
    /// What the directory of a cluster works with. A cluster that is not in it, not yet or no more, gives away what it owns, becomes the
    /// owner of nothing, and is let pass nowhere.
    /// </summary>
    public MultiClusterConfiguration ToConfiguration(ClusterId local)
    {
        var stages = Clusters.ToDictionary(c => c.Key, c => c.Value.Stage);
        stages.TryAdd(local, ClusterStage.Leaving);
        return new(new(Version, Digest, Ancestors.FirstOrDefault()), stages);
    }

    private static ClusterId Named(string name)
    {
        try
        {
            return new(name);
        }
        catch (ArgumentException)
        {
            throw Damaged();
        }
    }

    private static GeoSerializationException Damaged() => new("A configuration holds what no version of it can.");
}
