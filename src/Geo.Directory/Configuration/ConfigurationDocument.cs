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
    private const byte Form = 1;
    private const int MaxClusters = 1000;
    private const int LineageBytes = 16;

    /// <summary>Tells documents of one version apart; never 0.</summary>
    public long Digest => unchecked((long)StableHash.Hash128(Encode()).Low | 1);

    /// <summary>The first version: the clusters of the settings, all of them members.</summary>
    public static ConfigurationDocument First(Guid lineage, IEnumerable<KeyValuePair<ClusterId, ImmutableArray<string>>> clusters) => new(
        1,
        lineage,
        clusters.ToImmutableSortedDictionary(c => c.Key, c => new ConfiguredCluster(ClusterStage.Member, c.Value)));

    /// <exception cref="GeoSerializationException">The bytes are no document.</exception>
    public static ConfigurationDocument Decode(ReadOnlySpan<byte> bytes)
    {
        var from = new PayloadReader(bytes);
        if (from.ReadByte() is var form && form != Form)
        {
            throw new GeoSerializationException($"A configuration has form {form}; this version of Geo reads form {Form}.");
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

        return version > 0 && lineage.Length == LineageBytes && count == 0 && clusters.Count > 0 && from.Rest.IsEmpty
            ? new(version, new Guid(lineage), clusters.ToImmutable())
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
        return new(new(Version, Digest), stages);
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

    private static GeoSerializationException Damaged() => new("A configuration holds what no version of it can; it is damaged.");
}
