namespace Geo.Consistency;

/// <summary>A memory as bytes, on its way to another silo of its cluster. It leads nothing there until it has asked anew.</summary>
internal static class MemoryCodec
{
    internal static byte[] Write(LeaderReplica replica, UpdateConfirmation? confirmation)
    {
        var writer = new PayloadWriter();
        writer.WriteText(replica.Cluster.Name);
        writer.WriteUnsigned((ulong)replica.Incarnation);
        writer.WriteByte(replica.IsSeated ? (byte)1 : (byte)0);
        TermCodec.Write(writer, replica.Promised);
        writer.WriteUnsigned((ulong)replica.PromisedConfiguration);
        TermCodec.Write(writer, replica.Heard?.Term ?? default);
        TermCodec.Write(writer, replica.Log);
        writer.WriteUnsigned((ulong)replica.LogConfiguration);
        TermCodec.Write(writer, ReferenceEquals(replica.Shown, replica.Log) ? null : replica.Shown);
        writer.WriteUnsigned((ulong)replica.Confirmed);
        TermCodec.Write(writer, replica.Known);
        writer.WriteByte(ConfirmationCodec.Encode(confirmation));
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no memory.</exception>
    internal static (LeaderReplica Replica, UpdateConfirmation? Confirmation) Read(ReadOnlySpan<byte> bytes)
    {
        var reader = new PayloadReader(bytes);
        var replica = new LeaderReplica(new(reader.ReadRequiredText()), TermCodec.ReadNumber(ref reader))
        {
            IsSeated = reader.ReadByte() != 0,
            Promised = TermCodec.ReadTerm(ref reader),
            PromisedConfiguration = TermCodec.ReadNumber(ref reader),
            Heard = TermCodec.ReadTerm(ref reader) is { IsNone: false } heard ? new(heard) : null,
            Log = TermCodec.ReadLog(ref reader) ?? ReplicaLog.Nothing,
            LogConfiguration = TermCodec.ReadNumber(ref reader),
        };
        var shown = TermCodec.ReadLog(ref reader) ?? replica.Log;
        replica = replica with
        {
            Shown = shown,
            Tail = ReferenceEquals(shown, replica.Log) ? [] : [replica.Log],
            Confirmed = TermCodec.ReadNumber(ref reader),
            Known = TermCodec.ReadNames(ref reader),
        };
        return (replica, ConfirmationCodec.Decode(reader.ReadByte()));
    }
}
