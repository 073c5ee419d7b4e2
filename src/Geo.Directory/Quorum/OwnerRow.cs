namespace Geo.Directory;

/// <summary>
/// Who owns a single-instance grain of the mode <see cref="SingleInstanceMode.Quorum"/>: a row of the store that the clusters keep by
/// majority. The values of a row form a chain, each written by compare-and-swap on the one before it.
/// </summary>
/// <param name="Cluster">The cluster of the instance.</param>
/// <param name="Node">Its silo.</param>
/// <param name="Lease">The name of the lease under which the silo serves: once that is over, the row is nobody's.</param>
/// <param name="Epoch">The number of this tenancy: higher than that of every one before it.</param>
/// <param name="IsReleased">True when the instance has ended: the row is nobody's, and stays for its epoch.</param>
internal sealed record OwnerRow(ClusterId Cluster, string Node, string Lease, long Epoch, bool IsReleased = false)
{
    /// <summary>The prefix of these rows in the store; the rest of a row's key is the grain's.</summary>
    public const string Prefix = "owner/";

    private const byte Version = 1;

    public static string KeyOf(GrainKey key) => Prefix + key;

    /// <exception cref="GeoSerializationException">The row is damaged, or of another version of Geo.</exception>
    public static OwnerRow Decode(ReadOnlySpan<byte> row)
    {
        var reader = new PayloadReader(row);
        if (reader.ReadByte() is var version && version != Version)
        {
            throw new GeoSerializationException(
                $"A row of who owns a grain has format {version}; this version of Geo reads format {Version}. Do not mix versions.");
        }

        var isReleased = reader.ReadByte() != 0;
        var epoch = reader.ReadSigned();
        try
        {
            return new OwnerRow(
                new ClusterId(reader.ReadRequiredText()), reader.ReadRequiredText(), reader.ReadRequiredText(), epoch, isReleased);
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException("A row of who owns a grain names a cluster that cannot be; the row is damaged.", e);
        }
    }

    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteByte(Version);
        writer.WriteByte(IsReleased ? (byte)1 : (byte)0);
        writer.WriteSigned(Epoch);
        writer.WriteText(Cluster.Name);
        writer.WriteText(Node);
        writer.WriteText(Lease);
        return writer.ToArray();
    }
}
