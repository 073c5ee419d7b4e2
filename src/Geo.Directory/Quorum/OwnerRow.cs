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

    // What the row says of its tenancy. A version of Geo that knows no heirs takes the third for the second.
    private const byte Owned = 0, Released = 1, ReleasedToHeir = 2;

    /// <summary>The cluster that is to have the grain, of a released row; none for whichever comes first (rule Q7).</summary>
    public ClusterId Heir { get; init; }

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

        var state = reader.ReadByte();
        var epoch = reader.ReadSigned();
        try
        {
            return new OwnerRow(
                new ClusterId(reader.ReadRequiredText()), reader.ReadRequiredText(), reader.ReadRequiredText(), epoch, state != Owned)
            {
                Heir = state == ReleasedToHeir ? new ClusterId(reader.ReadRequiredText()) : default,
            };
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
        writer.WriteByte(!IsReleased ? Owned : Heir.IsNone ? Released : ReleasedToHeir);
        writer.WriteSigned(Epoch);
        writer.WriteText(Cluster.Name);
        writer.WriteText(Node);
        writer.WriteText(Lease);
        if (IsReleased && !Heir.IsNone)
        {
            writer.WriteText(Heir.Name);
        }

        return writer.ToArray();
    }
}
