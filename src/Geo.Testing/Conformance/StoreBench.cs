namespace Geo.Testing.Conformance;

/// <summary>What a case works with: an opened store, keys of its own, and the expectations that every case states.</summary>
internal sealed class StoreBench
{
    private readonly string _prefix = $"conformance/{Guid.NewGuid():N}/";

    private StoreBench(ConditionalStoreSubject subject, IConditionalStore store) => (Subject, Store) = (subject, store);

    public ConditionalStoreSubject Subject { get; }

    public IConditionalStore Store { get; }

    public static async Task<StoreBench> OpenAsync(ConditionalStoreSubject subject) => new(subject, await subject.OpenAsync());

    /// <summary>A key that no other case uses.</summary>
    public string Key(string name) => _prefix + name;

    public async Task<ETag> ApplyAsync(string key, ReadOnlyMemory<byte> value, ETag? expected = null, IConditionalStore? via = null)
    {
        var write = await (via ?? Store).WriteAsync(key, value, expected);
        Expect(write.Outcome == StoreWriteOutcome.Applied,
            $"a write of {value.Length} bytes under '{key}' expecting {Text(expected)} to be applied", Text(write));
        return write.ETag ?? throw new ConformanceException($"Expected an etag with the applied write under '{key}', got none.");
    }

    public async Task ConflictAsync(string key, ReadOnlyMemory<byte> value, ETag? expected)
    {
        var write = await Store.WriteAsync(key, value, expected);
        Expect(write.Outcome == StoreWriteOutcome.Conflict, $"a write under '{key}' expecting {Text(expected)} to conflict", Text(write));
    }

    public async Task DeleteAsync(string key, ETag expected)
    {
        var write = await Store.DeleteAsync(key, expected);
        Expect(write is { Outcome: StoreWriteOutcome.Applied, ETag: null },
            $"a delete of '{key}' expecting {expected} to be applied, without an etag", Text(write));
    }

    public async Task DeleteConflictAsync(string key, ETag expected)
    {
        var write = await Store.DeleteAsync(key, expected);
        Expect(write.Outcome == StoreWriteOutcome.Conflict, $"a delete of '{key}' expecting {expected} to conflict", Text(write));
    }

    public async Task FoundAsync(string key, ReadOnlyMemory<byte> value, ETag etag, IConditionalStore? via = null)
    {
        var read = await (via ?? Store).ReadAsync(key);
        Expect(read.Outcome == StoreReadOutcome.Found, $"a read of '{key}' to find {value.Length} bytes", Text(read));
        Expect(read.ETag == etag, $"a read of '{key}' to give etag {etag}", Text(read.ETag));
        Expect(read.Value.Span.SequenceEqual(value.Span), $"a read of '{key}' to give {Hex(value)}", Hex(read.Value));
    }

    public async Task NotFoundAsync(string key)
    {
        var read = await Store.ReadAsync(key);
        Expect(read is { Outcome: StoreReadOutcome.NotFound, ETag: null }, $"a read of '{key}' to find nothing", Text(read));
    }

    public static async Task ThrowsAsync<TException>(Func<Task> operation, string what)
        where TException : Exception
    {
        try
        {
            await operation();
        }
        catch (Exception e)
        {
            Expect(e is TException, $"{what} to throw {typeof(TException).Name}", $"{e.GetType().Name}: {e.Message}", e);
            return;
        }

        throw new ConformanceException($"Expected {what} to throw {typeof(TException).Name}, but it ended without an exception.");
    }

    public static void Expect(bool holds, string expected, string actual, Exception? cause = null)
    {
        if (!holds)
        {
            throw new ConformanceException($"Expected {expected}; got {actual}.", cause);
        }
    }

    public static string Hex(ReadOnlyMemory<byte> value) =>
        value.Length <= 32
            ? $"[{Convert.ToHexString(value.Span)}]"
            : $"[{Convert.ToHexString(value.Span[..32])}… {value.Length} bytes]";

    private static string Text(ETag? etag) => etag is { } tag ? $"etag {tag}" : "no etag";

    private static string Text(StoreWrite write) => $"{write.Outcome} with {Text(write.ETag)}{Because(write.Reason)}";

    private static string Text(StoreRead read) => $"{read.Outcome} with {Text(read.ETag)}{Because(read.Reason)}";

    private static string Because(string? reason) => reason is null ? "" : $" ({reason})";
}
