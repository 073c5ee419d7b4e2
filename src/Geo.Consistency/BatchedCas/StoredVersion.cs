namespace Geo.Consistency;

/// <summary>
/// What batching compare-and-swap stores under a grain's key: format, version, stamps, and the state as the serializer wrote it.
/// </summary>
internal readonly record struct StoredVersion(long Version, AppliedTable Stamps, ReadOnlyMemory<byte> State)
{
    private const byte Format = 1;

    /// <summary>Writes everything up to the state, which the serializer then writes behind it without a copy.</summary>
    internal static void WriteHeader(PayloadWriter writer, long version, AppliedTable stamps)
    {
        writer.WriteByte(Format);
        writer.WriteUnsigned((ulong)version);
        stamps.Write(writer);
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

        var version = (long)reader.ReadUnsigned();
        var stamps = AppliedTable.Read(ref reader);
        return new(version, stamps, value[^reader.Rest.Length..]);
    }
}
