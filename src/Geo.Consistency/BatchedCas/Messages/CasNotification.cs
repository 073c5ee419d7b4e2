namespace Geo.Consistency;

/// <summary>
/// What an instance tells the others after a successful write: the version and, unless it is large, the stored value with its etag,
/// so that the receiver can write on top of it without reading.
/// </summary>
/// <param name="Version">The version written.</param>
/// <param name="ETag">The row's etag; null when the value is not sent.</param>
/// <param name="Value">The stored value, where it is sent.</param>
internal readonly record struct CasNotification(long Version, ETag? ETag, ReadOnlyMemory<byte> Value)
{
    /// <summary>The message to those who did not ask.</summary>
    internal ReadOnlyMemory<byte> Write() => Write((byte)CasMessage.Notification);

    /// <summary>The answer to one who had handed updates in.</summary>
    internal ReadOnlyMemory<byte> Write(HandInAnswer answer) => Write((byte)answer);

    /// <summary>Reads what follows the first byte.</summary>
    /// <exception cref="GeoSerializationException">The bytes are no notification.</exception>
    internal static CasNotification Read(ReadOnlyMemory<byte> payload)
    {
        var reader = new PayloadReader(payload.Span);
        var version = CasMessages.ReadNumber(ref reader);
        var etag = reader.ReadText() is { } text ? new ETag(text) : (ETag?)null;
        return new(version, etag, payload[^reader.Rest.Length..]);
    }

    private ReadOnlyMemory<byte> Write(byte kind)
    {
        var writer = new PayloadWriter();
        writer.WriteByte(kind);
        writer.WriteUnsigned((ulong)Version);
        writer.WriteText(ETag?.Value);
        Value.Span.CopyTo(writer.GetSpan(Value.Length));
        writer.Advance(Value.Length);
        return writer.Written;
    }
}
