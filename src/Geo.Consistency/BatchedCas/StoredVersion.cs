namespace Geo.Consistency;

/// <summary>
/// What batching compare-and-swap stores under a grain's key: format, version, who wrote it, the last number of each instance, and the
/// state as the serializer wrote it.
/// </summary>
internal readonly record struct StoredVersion(
    long Version, CasWriter Writer, AppliedTable Applied, ReadOnlyMemory<byte> State)
{
    private const byte Format = 3;

    // No grain comes near it: a million updates a second for 36,000 years. What has more is damaged.
    private const ulong MaxVersion = long.MaxValue >> 3;

    internal static StoredVersion None { get; } = new(0, default, AppliedTable.Empty, default);

    internal CasRow Row(ETag? etag) => new(etag, Version, Applied, Writer);

    /// <summary>Writes everything up to the state, which the serializer then writes behind it without a copy.</summary>
    internal static void WriteHeader(PayloadWriter writer, long version, CasWriter author, AppliedTable applied)
    {
        writer.WriteByte(Format);
        writer.WriteUnsigned((ulong)version);
        CasMessages.Write(writer, author);
        applied.Write(writer);
    }

    /// <exception cref="GeoSerializationException">The value is not such a record.</exception>
    internal static StoredVersion Read(ReadOnlyMemory<byte> value)
    {
        var reader = new PayloadReader(value.Span);
        var format = reader.ReadByte();
        if (format != Format)
        {
            throw new GeoSerializationException($"it has format {format}, and this version of Geo reads format {Format}.");
        }

        var version = reader.ReadUnsigned();
        if (version > MaxVersion)
        {
            throw new GeoSerializationException($"it has version {version}, which no grain reaches; it was damaged.");
        }

        var author = CasMessages.ReadWriter(ref reader);
        var applied = AppliedTable.Read(ref reader);
        return new((long)version, author, applied, value[^reader.Rest.Length..]);
    }
}
