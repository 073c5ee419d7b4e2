using System.Text;

namespace Geo.Testing.Conformance;

/// <summary>Listing by prefix: complete, in order, literal.</summary>
internal static class StoreListCases
{
    public static IReadOnlyList<ConditionalStoreCase> All { get; } =
    [
        new("A list holds every entry under the prefix, with value and etag, and nothing else", Complete),
        new("A list is in the order of the keys' UTF-8 bytes", Ordered),
        new("A prefix is literal: wildcard characters match themselves only", LiteralPrefix),
        new("A prefix that nothing has gives an empty list", NothingUnderThePrefix),
        new("A key is under itself as a prefix", ExactKey),
        new("The empty prefix lists the whole store", WholeStore),
        new("A list sees what was applied before it began and not what was deleted", FreshList),
        new("A list that begins after a key holds what comes after it, whether the key is there or not", BeginsAfter),
        new("A cancelled list throws", CancelledList),
    ];

    private static async Task Complete(StoreBench b)
    {
        var written = new Dictionary<string, (byte[] Value, ETag ETag)>(StringComparer.Ordinal);
        for (var i = 0; i < b.Subject.ListedEntries; i++)
        {
            var key = b.Key($"in/{i}");
            written[key] = ([(byte)i], await b.ApplyAsync(key, new[] { (byte)i }));
        }

        foreach (var outside in new[] { "in", "im/1", "io", "IN/1", "out" })
        {
            await b.ApplyAsync(b.Key(outside), default);
        }

        var listed = await ListAsync(b, b.Key("in/"));
        StoreBench.Expect(listed.Count == written.Count, $"{written.Count} entries", $"{listed.Count}");
        foreach (var entry in listed)
        {
            StoreBench.Expect(
                written.TryGetValue(entry.Key, out var expected) && entry.ETag == expected.ETag
                    && entry.Value.Span.SequenceEqual(expected.Value),
                $"'{entry.Key}' listed as it was written", $"etag {entry.ETag} and {StoreBench.Hex(entry.Value)}");
        }
    }

    private static async Task Ordered(StoreBench b)
    {
        string[] names =
        [
            "b", "a", "B", "A", "10", "9", "1", "", "a/", "a0", "a!", "\u00e9", "z", "\ue000", "\U0001F600", "\uffff", "\u4e2d", "\u0001",
            "~",
        ];
        foreach (var name in names)
        {
            await b.ApplyAsync(b.Key("o") + name, default);
        }

        var expected = names.Select(n => b.Key("o") + n).Order(Comparer<string>.Create(CompareUtf8)).ToArray();
        var listed = (await ListAsync(b, b.Key("o"))).Select(e => e.Key).ToArray();
        StoreBench.Expect(listed.SequenceEqual(expected, StringComparer.Ordinal),
            $"the order {string.Join(", ", expected)}", string.Join(", ", listed));
    }

    private static async Task LiteralPrefix(StoreBench b)
    {
        string[] names =
            ["a%b", "aXb", "a_b", "a*b", "a?b", "a[x]b", "axb", "a\\b", "a'b", "A%b", "a%", "%", "_", "\U0001F600", "\U0001F601"];
        foreach (var name in names)
        {
            await b.ApplyAsync(b.Key(name), default);
        }

        foreach (var prefix in names.Append("a").Append(""))
        {
            var expected = names.Where(n => n.StartsWith(prefix, StringComparison.Ordinal)).Order(StringComparer.Ordinal).ToArray();
            var listed = (await ListAsync(b, b.Key(prefix)))
                .Select(e => e.Key[b.Key("").Length..]).Order(StringComparer.Ordinal).ToArray();
            StoreBench.Expect(listed.SequenceEqual(expected, StringComparer.Ordinal),
                $"the prefix '{prefix}' to list {string.Join(", ", expected)}", string.Join(", ", listed));
        }
    }

    private static async Task NothingUnderThePrefix(StoreBench b)
    {
        await b.ApplyAsync(b.Key("a"), default);
        var listed = await ListAsync(b, b.Key("b"));
        StoreBench.Expect(listed.Count == 0, "an empty list", $"{listed.Count} entries");
    }

    private static async Task ExactKey(StoreBench b)
    {
        await b.ApplyAsync(b.Key("exact"), default);
        await b.ApplyAsync(b.Key("exac"), default);
        var listed = await ListAsync(b, b.Key("exact"));
        StoreBench.Expect(listed.Count == 1 && listed[0].Key == b.Key("exact"), "the key itself", $"{listed.Count} entries");
    }

    private static async Task WholeStore(StoreBench b)
    {
        await b.ApplyAsync(b.Key("a"), default);
        await b.ApplyAsync(b.Key("\U0010FFFF"), default);
        var listed = await ListAsync(b, "");
        StoreBench.Expect(
            listed.Any(e => e.Key == b.Key("a")) && listed.Any(e => e.Key == b.Key("\U0010FFFF")),
            "both keys in the list of the whole store", $"{listed.Count} entries without one of them");
    }

    private static async Task FreshList(StoreBench b)
    {
        var etag = await b.ApplyAsync(b.Key("a"), new byte[] { 1 });
        etag = await b.ApplyAsync(b.Key("a"), new byte[] { 2 }, etag);
        var gone = await b.ApplyAsync(b.Key("b"), default);
        await b.DeleteAsync(b.Key("b"), gone);
        var listed = await ListAsync(b, b.Key(""));
        StoreBench.Expect(listed.Count == 1 && listed[0].ETag == etag && listed[0].Value.Span.SequenceEqual<byte>([2]),
            "one entry with the last value", string.Join(", ", listed.Select(e => $"{e.Key} {StoreBench.Hex(e.Value)}")));
    }

    private static async Task BeginsAfter(StoreBench b)
    {
        string[] names = ["a", "b", "b!", "b\u4e2d", "c", "\ue000", "\U0001F600"];
        foreach (var name in names)
        {
            await b.ApplyAsync(b.Key(name), default);
        }

        foreach (var (prefix, after) in new[]
        {
            ("", null), ("", ""), ("", "a"), ("", "aa"), ("", "b"), ("", "b!"), ("b", "a"), ("b", "b"), ("b", "b\u4e2d"), ("b", "c"),
            ("", "\ue000"), ("", "\U0001F600"), ("c", null),
        })
        {
            var expected = names.Where(n => n.StartsWith(prefix, StringComparison.Ordinal) && (after is null || CompareUtf8(n, after) > 0));
            var listed = new List<string>();
            await foreach (var entry in b.Store.ListAsync(b.Key(prefix), after is null ? null : b.Key(after)))
            {
                listed.Add(entry.Key[b.Key("").Length..]);
            }

            StoreBench.Expect(listed.SequenceEqual(expected, StringComparer.Ordinal),
                $"the list of '{prefix}' after '{after}' to be {string.Join(", ", expected)}", string.Join(", ", listed));
        }
    }

    private static async Task CancelledList(StoreBench b)
    {
        await b.ApplyAsync(b.Key("a"), default);
        await StoreBench.ThrowsAsync<OperationCanceledException>(
            async () =>
            {
                await foreach (var _ in b.Store.ListAsync(b.Key(""), new CancellationToken(canceled: true)))
                {
                }
            },
            "a cancelled list");
    }

    private static async Task<List<StoreEntry>> ListAsync(StoreBench b, string prefix)
    {
        var listed = new List<StoreEntry>();
        await foreach (var entry in b.Store.ListAsync(prefix))
        {
            listed.Add(entry);
        }

        return listed;
    }

    private static int CompareUtf8(string? x, string? y) =>
        Encoding.UTF8.GetBytes(x!).AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(y!));
}
