using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>
/// The clusters of the multi-cluster: one value that all of them keep by majority, replaced by compare-and-swap, each version made from the
/// one before by <see cref="ConfigurationRules"/>.
/// </summary>
/// <param name="Version">Grows by one with each change.</param>
/// <param name="Clusters">The clusters: all of them are asked in rounds.</param>
/// <param name="Left">
/// The cluster that this version took out, which must learn of it before the next change; none for another change.
/// </param>
internal sealed record ConfigurationDocument(
    long Version, ImmutableSortedDictionary<ClusterId, ConfiguredCluster> Clusters, ClusterId Left = default)
{
    private const byte Form = 1;
    private const int MaxClusters = 1000;

    /// <summary>The first version: the clusters of the settings, all of them members.</summary>
    public static ConfigurationDocument First(IEnumerable<KeyValuePair<ClusterId, ImmutableArray<string>>> clusters) => new(
        1,
        clusters.ToImmutableSortedDictionary(c => c.Key, c => new ConfiguredCluster(ClusterStage.Member, c.Value)));

    /// <exception cref="GeoSerializationException">The bytes are no document.</exception>
    public static ConfigurationDocument Decode(ReadOnlySpan<byte> bytes)
    {
        var from = new PayloadReader(bytes);
        if (from.ReadByte() is var form && form != Form)
        {
            throw new GeoSerializationException($"A configuration has form {form}; this version of Geo reads form {Form}.");
        }

        var (version, left, count) = ((long)from.ReadUnsigned(), from.ReadText(), from.ReadUnsigned());
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

        return version > 0 && count == 0 && clusters.Count > 0 && from.Rest.IsEmpty
            ? new(version, clusters.ToImmutable(), left is null ? default : Named(left))
            : throw Damaged();
    }

    public byte[] Encode()
    {
        var to = new PayloadWriter();
        to.WriteByte(Form);
        to.WriteUnsigned((ulong)Version);
        to.WriteText(Left.IsNone ? null : Left.Name);
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

    /// <summary>What the directory works with.</summary>
    public MultiClusterConfiguration ToConfiguration() => new(Version, Clusters.ToDictionary(c => c.Key, c => c.Value.Stage));

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
