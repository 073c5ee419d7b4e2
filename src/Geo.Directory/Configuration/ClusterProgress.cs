using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>
/// How far a cluster has come with the versions of the configuration, by its own word. What it says stays true: a silo that starts later
/// starts from <paramref name="Stored"/> or a later version.
/// </summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="Stored">The version that it keeps in its own store: a silo that starts reads that one or a later one.</param>
/// <param name="Silos">The version in the lease of each silo that is not fenced off.</param>
/// <param name="Held">
/// How many rows it has that are neither Cached nor Invalid, counted after all silos had processed a version in which it may own nothing;
/// null where that was not counted.
/// </param>
internal sealed record ClusterProgress(ClusterId Cluster, long Stored, ImmutableSortedDictionary<string, long> Silos, long? Held)
{
    private const byte Form = 1;

    /// <exception cref="GeoSerializationException">The bytes are damaged.</exception>
    public static ClusterProgress Decode(ClusterId cluster, ReadOnlySpan<byte> bytes)
    {
        var from = new PayloadReader(bytes);
        if (from.ReadByte() is var form && form != Form)
        {
            throw new GeoSerializationException($"The word of a cluster has form {form}; this version of Geo reads form {Form}.");
        }

        var (stored, held) = (from.ReadSigned(), from.ReadSigned());
        var silos = ImmutableSortedDictionary.CreateBuilder<string, long>(StringComparer.Ordinal);
        for (var left = from.ReadCount(); left > 0; left--)
        {
            silos[from.ReadRequiredText()] = from.ReadSigned();
        }

        return new(cluster, stored, silos.ToImmutable(), held < 0 ? null : held);
    }

    public byte[] Encode()
    {
        var to = new PayloadWriter();
        to.WriteByte(Form);
        to.WriteSigned(Stored);
        to.WriteSigned(Held ?? -1);
        to.WriteUnsigned((ulong)Silos.Count);
        foreach (var (silo, version) in Silos)
        {
            to.WriteText(silo);
            to.WriteSigned(version);
        }

        return to.ToArray();
    }

    /// <summary>What of the cluster works with an earlier version, or may; null when nothing does.</summary>
    public string? Behind(long version) =>
        Stored < version ? $"cluster '{Cluster}' has version {Stored} of the configuration, not yet {version}"
        : Silos.FirstOrDefault(s => s.Value < version) is { Key: { } silo } behind
            ? $"silo '{silo}' of cluster '{Cluster}' has processed version {behind.Value} of the configuration, not yet {version}"
        : null;
}
