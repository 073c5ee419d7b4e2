namespace Geo.Testing.Conformance;

/// <summary>Keys are any well-formed text up to the limit, and no two of them are ever taken for one.</summary>
internal static class StoreKeyCases
{
    // Each differs from another one by what some database folds, trims, cuts off, unescapes or normalizes.
    private static readonly string[] Peculiar =
    [
        "a", "A", "a ", " a", "ab", "\u00e9", "e\u0301", "E\u0301", "\u00df", "ss", "\u212a", "k", "K", "\u0130", "i", "\u0131",
        "%", "%25", "%41", "_", "?", "#", "*", "[a]", "\\", "/", "//", "a/b", "a//b", "a\\b", ".", "..", "a/../b",
        "'", "''", "\"", "`", ";", "--", "' or 1=1 --", "{0}", "$a", "@a", ":a", "&amp;", "<a>", "\t", "\n", "\r\n", "\u0001", "\u001f",
        "\u007f", "\u0085", "\0", "a\0", "a\0b", "\u200b", "\ufeff", "\ufffd", "\uffff", "\ue000", "\u4e2d\u6587", "\U0001F600",
        "\U0010FFFF",
        "\u0627", "null", "NULL",
    ];

    public static IReadOnlyList<ConditionalStoreCase> All { get; } =
    [
        new("Keys with peculiar characters are kept apart", PeculiarKeysAreKeptApart),
        new("The longest key is taken, and told apart from one that differs in the last character", LongestKey),
        new("A key that is empty, too long or not well-formed is refused", RefusedKeys),
    ];

    private static async Task PeculiarKeysAreKeptApart(StoreBench b)
    {
        var etags = new List<ETag>();
        foreach (var name in Peculiar)
        {
            etags.Add(await b.ApplyAsync(b.Key(name), Value(name)));
        }

        for (var i = 0; i < Peculiar.Length; i++)
        {
            await b.FoundAsync(b.Key(Peculiar[i]), Value(Peculiar[i]), etags[i]);
        }

        if (b.Subject.CanList)
        {
            await PeculiarKeysAreListed(b);
        }

        await b.DeleteAsync(b.Key("a"), etags[0]);
        await b.FoundAsync(b.Key("A"), Value("A"), etags[1]);
    }

    private static async Task PeculiarKeysAreListed(StoreBench b)
    {
        var listed = new HashSet<string>(StringComparer.Ordinal);
        await foreach (var entry in b.Store.ListAsync(b.Key("")))
        {
            listed.Add(entry.Key[b.Key("").Length..]);
        }

        StoreBench.Expect(listed.SetEquals(Peculiar), $"a list of {Peculiar.Length} keys as they were written",
            $"{listed.Count}, without {Escape(Peculiar.Except(listed))}, with {Escape(listed.Except(Peculiar))}");
    }

    private static async Task LongestKey(StoreBench b)
    {
        foreach (var filler in new[] { 'x', '\u4e2d' })
        {
            var stem = b.Key("").PadRight(StoreLimits.MaxKeyLength - 1, filler);
            var one = await b.ApplyAsync(stem + "1", new byte[] { 1 });
            var two = await b.ApplyAsync(stem + "2", new byte[] { 2 });
            await b.FoundAsync(stem + "1", new byte[] { 1 }, one);
            await b.FoundAsync(stem + "2", new byte[] { 2 }, two);
        }
    }

    private static async Task RefusedKeys(StoreBench b)
    {
        foreach (var key in new[] { "", new string('x', StoreLimits.MaxKeyLength + 1), "\ud800", "a\udc00b", "\udc00\ud800" })
        {
            var what = key.Length > 16 ? $"with a key of {key.Length} characters" : $"with the key {Escape([key])}";
            await StoreBench.ThrowsAsync<ArgumentException>(async () => await b.Store.ReadAsync(key), $"a read {what}");
            await StoreBench.ThrowsAsync<ArgumentException>(
                async () => await b.Store.WriteAsync(key, default, null), $"a write {what}");
            await StoreBench.ThrowsAsync<ArgumentException>(
                async () => await b.Store.DeleteAsync(key, new ETag("1")), $"a delete {what}");
            if (key.Length > 0)
            {
                await StoreBench.ThrowsAsync<ArgumentException>(
                    async () => await b.Store.ListAsync(key).GetAsyncEnumerator().MoveNextAsync(), $"a list {what} as prefix");
            }
        }
    }

    private static byte[] Value(string name) => [.. name.SelectMany(c => BitConverter.GetBytes(c))];

    private static string Escape(IEnumerable<string> keys) =>
        $"[{string.Join(", ", keys.Select(k => string.Concat(k.Select(c => c is > ' ' and < '\u007f' ? $"{c}" : $"\\u{(int)c:x4}"))))}]";
}
