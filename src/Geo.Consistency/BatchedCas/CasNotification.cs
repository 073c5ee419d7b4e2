namespace Geo.Consistency;

/// <summary>
/// What an instance tells the others after a successful write: the version and, unless it is large, the stored value with its etag,
/// so that the receiver can write on top of it without reading.
/// </summary>
/// <param name="Version">The version written.</param>
/// <param name="ETag">The row's version; null when the value is not sent.</param>
/// <param name="Value">The stored value, where it is sent.</param>
internal readonly record struct CasNotification(long Version, ETag? ETag, ReadOnlyMemory<byte> Value)
{
    internal ReadOnlyMemory<byte> Write()
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned((ulong)Version);
        writer.WriteText(ETag?.Value);
        Value.Span.CopyTo(writer.GetSpan(Value.Length));
        writer.Advance(Value.Length);
        return writer.Written;
    }

    internal static CasNotification Read(ReadOnlyMemory<byte> payload)
    {
        var reader = new PayloadReader(payload.Span);
        var version = (long)reader.ReadUnsigned();
        var etag = reader.ReadText() is { } text ? new ETag(text) : (ETag?)null;
        return new(version, etag, payload[^reader.Rest.Length..]);
    }
}
