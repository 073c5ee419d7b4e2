using System.Globalization;
using System.Text;

namespace Geo.Testing.Conformance;

/// <summary>Several handles and several writers at once: one winner a version, nothing lost, nothing stale.</summary>
internal static class StoreConcurrencyCases
{
    private const int WritersPerHandle = 4;

    public static IReadOnlyList<ConditionalStoreCase> All { get; } =
    [
        new("Another handle sees the last applied write at once", AnotherHandleIsNotStale),
        new("Of concurrent first writes exactly one applies", OneFirstWriteWins),
        new("Of concurrent replacements of one version exactly one applies", OneReplacementWins),
        new("Of a concurrent delete and replacement of one version exactly one applies", DeleteAgainstReplacement),
        new("Concurrent increments over two handles are all counted", IncrementsAreCounted),
        new("Concurrent writes under different keys all apply", DifferentKeysDoNotConflict),
    ];

    private static async Task AnotherHandleIsNotStale(StoreBench b)
    {
        var other = await b.Subject.OpenAsync();
        ETag? etag = null;
        for (byte i = 0; i < 20; i++)
        {
            var (writer, reader) = i % 2 == 0 ? (b.Store, other) : (other, b.Store);
            etag = await b.ApplyAsync(b.Key("k"), new[] { i }, etag, writer);
            await b.FoundAsync(b.Key("k"), new[] { i }, etag.Value, reader);
        }
    }

    private static async Task OneFirstWriteWins(StoreBench b)
    {
        var handles = await TwoHandlesAsync(b);
        for (var round = 0; round < 10; round++)
        {
            await OneWinsAsync(b, handles, b.Key($"k{round}"), null);
        }
    }

    private static async Task OneReplacementWins(StoreBench b)
    {
        var handles = await TwoHandlesAsync(b);
        ETag? etag = null;
        for (var round = 0; round < 10; round++)
        {
            etag = await OneWinsAsync(b, handles, b.Key("k"), etag);
        }
    }

    private static async Task DeleteAgainstReplacement(StoreBench b)
    {
        var handles = await TwoHandlesAsync(b);
        for (var round = 0; round < 10; round++)
        {
            var key = b.Key($"k{round}");
            var etag = await b.ApplyAsync(key, new byte[] { 1 });
            var delete = Task.Run(async () => await handles[round % 2].DeleteAsync(key, etag));
            var replace = Task.Run(async () => await handles[(round + 1) % 2].WriteAsync(key, new byte[] { 2 }, etag));
            var (deleted, replaced) = (await delete, await replace);
            StoreBench.Expect((deleted.Outcome, replaced.Outcome) is
                (StoreWriteOutcome.Applied, StoreWriteOutcome.Conflict) or (StoreWriteOutcome.Conflict, StoreWriteOutcome.Applied),
                "one of delete and replacement to apply and the other to conflict",
                $"{deleted.Outcome} {deleted.Reason} and {replaced.Outcome} {replaced.Reason}");
            await (replaced.ETag is { } present ? b.FoundAsync(key, new byte[] { 2 }, present) : b.NotFoundAsync(key));
        }
    }

    /// <summary>
    /// The counter's value is its number and the name of the writer that made it; every writer keeps what it was told was applied.
    /// </summary>
    private static async Task IncrementsAreCounted(StoreBench b)
    {
        var handles = await TwoHandlesAsync(b);
        var writers = Enumerable.Range(0, handles.Length * WritersPerHandle)
            .Select(w => Task.Run(() => IncrementAsync(handles[w % handles.Length], b.Key("counter"), w, b.Subject.IncrementsPerWriter)))
            .ToArray();
        var applied = (await Task.WhenAll(writers)).SelectMany(numbers => numbers).Order().ToArray();

        var total = writers.Length * b.Subject.IncrementsPerWriter;
        StoreBench.Expect(applied.SequenceEqual(Enumerable.Range(1, total)),
            $"each number from 1 to {total} written by exactly one writer",
            $"{applied.Length} applied writes, {applied.Distinct().Count()} different numbers up to {applied.LastOrDefault()}");
        foreach (var handle in handles)
        {
            var number = Parse((await handle.ReadAsync(b.Key("counter"))).Value);
            StoreBench.Expect(number == total, $"a counter of {total}", $"{number}");
        }
    }

    private static async Task<List<int>> IncrementAsync(IConditionalStore store, string key, int writer, int increments)
    {
        var applied = new List<int>();
        while (applied.Count < increments)
        {
            var read = await store.ReadAsync(key);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                continue;
            }

            var next = Parse(read.Value) + 1;
            var value = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{next} {writer}"));
            var write = await store.WriteAsync(key, value, read.ETag);
            StoreBench.Expect(
                write.Outcome != StoreWriteOutcome.Unknown, "a known outcome from a store without trouble", $"unknown: {write.Reason}");
            if (write.Outcome == StoreWriteOutcome.Applied)
            {
                applied.Add(next);
            }
        }

        return applied;
    }

    private static async Task DifferentKeysDoNotConflict(StoreBench b)
    {
        var handles = await TwoHandlesAsync(b);
        var etags = await Task.WhenAll(Enumerable.Range(0, 64).Select(
            i => Task.Run(() => b.ApplyAsync(b.Key($"k{i}"), new[] { (byte)i }, via: handles[i % handles.Length]))));
        for (var i = 0; i < etags.Length; i++)
        {
            await b.FoundAsync(b.Key($"k{i}"), new[] { (byte)i }, etags[i]);
        }
    }

    private static async Task<ETag> OneWinsAsync(StoreBench b, IConditionalStore[] handles, string key, ETag? expected)
    {
        var writes = await Task.WhenAll(Enumerable.Range(0, handles.Length * WritersPerHandle).Select(
            w => Task.Run(
                async () =>
                    (Value: new[] { (byte)w }, Write: await handles[w % handles.Length].WriteAsync(key, new[] { (byte)w }, expected)))));
        var winners = writes.Where(w => w.Write.Outcome == StoreWriteOutcome.Applied).ToArray();
        StoreBench.Expect(
            winners.Length == 1 && writes.Count(w => w.Write.Outcome == StoreWriteOutcome.Conflict) == writes.Length - 1,
            $"one of {writes.Length} writes to apply and the others to conflict",
            string.Join(", ", writes.Select(w => $"{w.Write.Outcome} {w.Write.Reason}")));
        var etag = winners[0].Write.ETag!.Value;
        await b.FoundAsync(key, winners[0].Value, etag);
        return etag;
    }

    private static async Task<IConditionalStore[]> TwoHandlesAsync(StoreBench b) => [b.Store, await b.Subject.OpenAsync()];

    private static int Parse(ReadOnlyMemory<byte> value) =>
        value.IsEmpty ? 0 : int.Parse(Encoding.UTF8.GetString(value.Span).Split(' ')[0], CultureInfo.InvariantCulture);
}
