namespace Geo.Consistency;

/// <summary>What a grain's instance answers to a read replica.</summary>
/// <param name="History">Which history the version is of: 0 for the one in a store, else the instance that has the grain's memory.</param>
/// <param name="Version">The last confirmed version known there.</param>
/// <param name="Edition">Tells it from another version of that number, from before the store was set back; 0 where none can be.</param>
/// <param name="Age">Everything that was confirmed so long before the answer is in it.</param>
/// <param name="State">The state's bytes; null where the replica has them.</param>
internal readonly record struct ReadFeedAnswer(uint History, long Version, uint Edition, TimeSpan Age, ReadOnlyMemory<byte>? State)
{
    internal byte[] Write()
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned(History);
        writer.WriteUnsigned((ulong)Version);
        writer.WriteUnsigned(Edition);
        writer.WriteUnsigned((ulong)Age.Ticks);
        writer.WriteByte(State is null ? (byte)0 : (byte)1);
        writer.WriteBytes(State is { } state ? state.Span : []);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no answer.</exception>
    internal static ReadFeedAnswer Read(ReadOnlyMemory<byte> payload)
    {
        var reader = new PayloadReader(payload.Span);
        var history = (uint)CasMessages.ReadNumber(ref reader);
        var version = CasMessages.ReadNumber(ref reader);
        var edition = (uint)CasMessages.ReadNumber(ref reader);
        var age = TimeSpan.FromTicks(CasMessages.ReadNumber(ref reader));
        return new(
            history, version, edition, age, reader.ReadByte() == 0 ? (ReadOnlyMemory<byte>?)null : reader.ReadBytes().ToArray());
    }
}
