namespace Geo.Consistency;

/// <summary>What a read replica asks the grain's instance.</summary>
/// <param name="IsKnown">True when it has a copy.</param>
/// <param name="History">Of which history.</param>
/// <param name="Version">Of which version.</param>
/// <param name="Edition">Which of the versions of that number.</param>
/// <param name="MaxAge">An instance that may not be the only one reads its store when it last did so longer ago.</param>
internal readonly record struct ReadFeedPoll(bool IsKnown, uint History, long Version, uint Edition, TimeSpan MaxAge)
{
    /// <summary>True when the replica has this very version.</summary>
    internal bool Has(uint history, long version, uint edition) =>
        IsKnown && (History, Version, Edition) == (history, version, edition);

    internal byte[] Write()
    {
        var writer = new PayloadWriter();
        writer.WriteByte(IsKnown ? (byte)1 : (byte)0);
        writer.WriteUnsigned(History);
        writer.WriteUnsigned((ulong)Version);
        writer.WriteUnsigned(Edition);
        writer.WriteUnsigned((ulong)MaxAge.Ticks);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no question.</exception>
    internal static ReadFeedPoll Read(ReadOnlyMemory<byte> payload)
    {
        var reader = new PayloadReader(payload.Span);
        return new(
            reader.ReadByte() != 0, (uint)CasMessages.ReadNumber(ref reader), CasMessages.ReadNumber(ref reader),
            (uint)CasMessages.ReadNumber(ref reader), TimeSpan.FromTicks(CasMessages.ReadNumber(ref reader)));
    }
}
