namespace Geo.Testing.Storage;

/// <summary>How the answers of an emulated storage account travel: a first byte says what follows.</summary>
internal static class StorageReply
{
    private const byte RefusedForGood = 0xfe;
    private const byte Unavailable = 0xff;

    public static void Write(PayloadWriter writer, StoreRead read)
    {
        writer.WriteByte((byte)read.Outcome);
        writer.WriteText(read.ETag?.ToString() ?? read.Reason);
        writer.WriteBytes(read.Value.Span);
    }

    public static void Write(PayloadWriter writer, StoreWrite write)
    {
        writer.WriteByte((byte)write.Outcome);
        writer.WriteText(write.ETag?.ToString() ?? write.Reason);
    }

    public static void Write(PayloadWriter writer, StoragePage page)
    {
        writer.WriteByte(page.HasMore ? (byte)1 : (byte)0);
        writer.WriteUnsigned((ulong)page.Entries.Count);
        foreach (var entry in page.Entries)
        {
            writer.WriteText(entry.Key);
            writer.WriteText(entry.ETag.ToString());
            writer.WriteBytes(entry.Value.Span);
        }
    }

    public static void WriteRefusal(PayloadWriter writer, GeoException refusal)
    {
        writer.WriteByte(refusal is GeoStorageException ? RefusedForGood : Unavailable);
        writer.WriteText(refusal.Message);
    }

    /// <exception cref="GeoStorageException">The store refused the operation for good.</exception>
    public static StoreRead ToRead(ReadOnlySpan<byte> payload)
    {
        var reader = Open(payload, out var first);
        var text = reader.ReadText();
        return (StoreReadOutcome)first switch
        {
            StoreReadOutcome.Found => StoreRead.Found(reader.ReadBytes().ToArray(), new ETag(text ?? "")),
            StoreReadOutcome.NotFound => StoreRead.NotFound,
            StoreReadOutcome.Unknown => StoreRead.Unknown(text ?? ""),
            _ => throw Malformed(first),
        };
    }

    /// <exception cref="GeoStorageException">The store refused the operation for good.</exception>
    public static StoreWrite ToWrite(ReadOnlySpan<byte> payload)
    {
        var reader = Open(payload, out var first);
        var text = reader.ReadText();
        return (StoreWriteOutcome)first switch
        {
            StoreWriteOutcome.Applied => text is null ? StoreWrite.Deleted : StoreWrite.Applied(new ETag(text)),
            StoreWriteOutcome.Conflict => StoreWrite.Conflict,
            StoreWriteOutcome.Unknown => StoreWrite.Unknown(text ?? ""),
            _ => throw Malformed(first),
        };
    }

    /// <exception cref="GeoUnavailableException">The store could not be listed.</exception>
    public static StoragePage ToPage(ReadOnlySpan<byte> payload)
    {
        var reader = Open(payload, out var first);
        var entries = new StoreEntry[reader.ReadCount()];
        for (var i = 0; i < entries.Length; i++)
        {
            var key = reader.ReadRequiredText();
            var etag = new ETag(reader.ReadRequiredText());
            entries[i] = new StoreEntry(key, reader.ReadBytes().ToArray(), etag);
        }

        return new StoragePage(entries, HasMore: first == 1);
    }

    private static PayloadReader Open(ReadOnlySpan<byte> payload, out byte first)
    {
        var reader = new PayloadReader(payload);
        first = reader.ReadByte();
        return first switch
        {
            RefusedForGood => throw new GeoStorageException(reader.ReadRequiredText()),
            Unavailable => throw new GeoUnavailableException(reader.ReadRequiredText()),
            _ => reader,
        };
    }

    private static GeoSerializationException Malformed(byte first) =>
        new($"A storage account's reply begins with {first}, which means nothing.");
}
