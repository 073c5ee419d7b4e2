namespace Geo.Testing.Conformance;

/// <summary>Values come back as they were written, whatever the caller does with its memory.</summary>
internal static class StoreValueCases
{
    public static IReadOnlyList<ConditionalStoreCase> All { get; } =
    [
        new("An empty value is a value", EmptyValue),
        new("Every byte value is kept", AllBytes),
        new("A large value is kept, and grows and shrinks in place", LargeValue),
        new("A value does not change with the caller's buffer", NotAliasedByTheWriter),
        new("A value read does not change with a later write", NotChangedUnderTheReader),
    ];

    private static async Task EmptyValue(StoreBench b)
    {
        var empty = await b.ApplyAsync(b.Key("k"), default);
        await b.FoundAsync(b.Key("k"), default, empty);
        await b.ConflictAsync(b.Key("k"), new byte[] { 1 }, null);
        var full = await b.ApplyAsync(b.Key("k"), new byte[] { 1 }, empty);
        var emptied = await b.ApplyAsync(b.Key("k"), default, full);
        await b.FoundAsync(b.Key("k"), default, emptied);
        await b.DeleteAsync(b.Key("k"), emptied);
    }

    private static async Task AllBytes(StoreBench b)
    {
        var value = new byte[512];
        for (var i = 0; i < value.Length; i++)
        {
            value[i] = (byte)(i < 256 ? i : 511 - i);
        }

        var etag = await b.ApplyAsync(b.Key("k"), value);
        await b.FoundAsync(b.Key("k"), value, etag);
    }

    private static async Task LargeValue(StoreBench b)
    {
        var large = new byte[b.Subject.LargeValueBytes];
        new Random(7).NextBytes(large);
        var etag = await b.ApplyAsync(b.Key("k"), new byte[] { 1 });
        etag = await b.ApplyAsync(b.Key("k"), large, etag);
        await b.FoundAsync(b.Key("k"), large, etag);
        etag = await b.ApplyAsync(b.Key("k"), new byte[] { 2 }, etag);
        await b.FoundAsync(b.Key("k"), new byte[] { 2 }, etag);
    }

    private static async Task NotAliasedByTheWriter(StoreBench b)
    {
        var buffer = new byte[] { 1, 2, 3, 4 };
        var etag = await b.ApplyAsync(b.Key("k"), buffer.AsMemory(1, 2));
        Array.Fill(buffer, (byte)9);
        await b.FoundAsync(b.Key("k"), new byte[] { 2, 3 }, etag);
    }

    private static async Task NotChangedUnderTheReader(StoreBench b)
    {
        var etag = await b.ApplyAsync(b.Key("k"), new byte[] { 1, 1 });
        var read = await b.Store.ReadAsync(b.Key("k"));
        await b.ApplyAsync(b.Key("k"), new byte[] { 2, 2 }, etag);
        await b.Store.ReadAsync(b.Key("k"));
        StoreBench.Expect(read.Value.Span.SequenceEqual<byte>([1, 1]), "a value once read to stay [0101]", StoreBench.Hex(read.Value));
    }
}
