namespace Geo.Directory;

/// <summary>What a message of the directory is. The numbers travel: they never change.</summary>
internal enum GsiMessageKind : byte
{
    /// <summary>A round's request.</summary>
    Request = 1,

    /// <summary>The notice that the sender's instance has left.</summary>
    Released = 2,

    /// <summary>
    /// The request to acquire a grain that the sender has released, or may not own, as a pessimistic one; the reply is Pass when it is
    /// owned.
    /// </summary>
    Take = 3,

    /// <summary>A round's request to a cluster whose first answer did not come in time: it is answered at once.</summary>
    RequestAgain = 4,

    /// <summary>The same as <see cref="Take"/> for a call of an optimistic grain: missing replies keep nobody from taking it.</summary>
    TakeOptimistic = 5,

    /// <summary>The question where a grain is, which changes nothing: the reply is as to a request.</summary>
    Find = 6,
}

/// <summary>A message of the directory to another cluster's directory.</summary>
/// <param name="Kind">Request or notice.</param>
/// <param name="Key">The grain.</param>
/// <param name="Round">The round of a request, which its reply repeats; 0 for anything else.</param>
/// <param name="Stamp">The configuration that the sender works with.</param>
/// <param name="HasInstance">Of a request: whether its cluster has an instance in doubt, which would end for one that is elsewhere.</param>
internal readonly record struct GsiMessage(
    GsiMessageKind Kind, GrainKey Key, long Round, ConfigurationStamp Stamp = default, bool HasInstance = false)
{
    private const byte Version = 3;

    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteByte(Version);
        writer.WriteByte((byte)Kind);
        writer.WriteText(Key.ToString());
        writer.WriteSigned(Round);
        Stamp.Write(writer);
        writer.WriteByte(HasInstance ? (byte)1 : (byte)0);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">It is damaged, or of another version.</exception>
    public static GsiMessage Decode(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        CheckVersion(reader.ReadByte());
        var kind = (GsiMessageKind)reader.ReadByte();
        var key = reader.ReadRequiredText();
        if (!Enum.IsDefined(kind) || key.IndexOf('/', StringComparison.Ordinal) <= 0)
        {
            throw new GeoSerializationException(
                $"A directory message of kind {(byte)kind} about '{key}' arrived: no directory sends such.");
        }

        return new GsiMessage(kind, GrainKey.Parse(key), reader.ReadSigned(), ConfigurationStamp.Read(ref reader), reader.ReadByte() != 0);
    }

    public static byte[] EncodeReply(long round, GsiAnswer answer, ConfigurationStamp stamp = default)
    {
        var writer = new PayloadWriter();
        writer.WriteByte(Version);
        writer.WriteSigned(round);
        writer.WriteByte((byte)answer.Kind);
        writer.WriteText(answer.Node);
        writer.WriteText(answer.Reason);
        stamp.Write(writer);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">It is damaged, or of another version.</exception>
    public static GsiReply DecodeReply(ClusterId from, ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        CheckVersion(reader.ReadByte());
        var round = reader.ReadSigned();
        var kind = (GsiReplyKind)reader.ReadByte();
        return Enum.IsDefined(kind)
            ? new GsiReply(from, round, kind, reader.ReadText(), reader.ReadText(), ConfigurationStamp.Read(ref reader))
            : throw new GeoSerializationException($"Cluster '{from}' sent a directory reply of kind {(byte)kind}, which does not exist.");
    }

    private static void CheckVersion(byte version)
    {
        if (version != Version)
        {
            throw new GeoSerializationException($"A directory message has format {version}; this version of Geo speaks format {Version}.");
        }
    }
}
