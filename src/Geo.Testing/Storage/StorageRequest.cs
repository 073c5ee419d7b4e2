namespace Geo.Testing.Storage;

/// <summary>What a remote store asks for. The numbers travel on the wire.</summary>
internal enum StorageOperation : byte
{
    Read = 1,
    Write = 2,
    Delete = 3,
    List = 4,
}

/// <summary>A request to an emulated storage account.</summary>
/// <param name="Operation">What to do.</param>
/// <param name="Key">The key, or a list's prefix.</param>
/// <param name="ETag">The version expected.</param>
/// <param name="After">The last key that a list has given; null for its first page.</param>
/// <param name="Value">The new value; a part of the payload read.</param>
internal readonly record struct StorageRequest(
    StorageOperation Operation, string Key, ETag? ETag = null, string? After = null, ReadOnlyMemory<byte> Value = default)
{
    public ReadOnlyMemory<byte> ToPayload()
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)Operation);
        writer.WriteText(Key);
        writer.WriteText(Operation == StorageOperation.List ? After : ETag?.ToString());
        Value.Span.CopyTo(writer.GetSpan(Value.Length));
        writer.Advance(Value.Length);
        return writer.Written;
    }

    /// <exception cref="GeoSerializationException">The payload is not a request.</exception>
    public static StorageRequest Read(ReadOnlyMemory<byte> payload)
    {
        var reader = new PayloadReader(payload.Span);
        var operation = (StorageOperation)reader.ReadByte();
        if (!Enum.IsDefined(operation))
        {
            throw new GeoSerializationException($"A storage request asks for operation {(byte)operation}, which there is not.");
        }

        var key = reader.ReadRequiredText();
        var text = reader.ReadText();
        var value = payload[^reader.Rest.Length..];
        return operation == StorageOperation.List
            ? new StorageRequest(operation, key, After: text)
            : new StorageRequest(operation, key, text is null ? null : new ETag(text), Value: value);
    }
}
