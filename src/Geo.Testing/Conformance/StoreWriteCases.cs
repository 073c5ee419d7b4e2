namespace Geo.Testing.Conformance;

/// <summary>Which writes and deletes apply and which conflict.</summary>
internal static class StoreWriteCases
{
    private static readonly byte[] First = [1];
    private static readonly byte[] Second = [2];

    public static IReadOnlyList<ConditionalStoreCase> All { get; } =
    [
        new("A key that was never written is not found", b => b.NotFoundAsync(b.Key("k"))),
        new("A first write applies and is read back", FirstWrite),
        new("A first write onto a key that exists conflicts and changes nothing", FirstWriteOntoExisting),
        new("A replacement with the present etag applies, with the former one it conflicts", Replace),
        new("A replacement of a key that does not exist conflicts", b => b.ConflictAsync(b.Key("k"), First, new ETag("1"))),
        new("A delete with the present etag applies, with the former one it conflicts", Delete),
        new("A delete of a key that does not exist conflicts", b => b.DeleteConflictAsync(b.Key("k"), new ETag("1"))),
        new("A deleted key takes a first write and no replacement", WriteAfterDelete),
        new("No etag comes twice under a key, across delete and re-creation and for equal values", EtagsAreNeverReused),
        new("An etag that the store never gave conflicts", ForeignEtag),
        new("The etag of another key does not fit", EtagOfAnotherKey),
        new("An operation cancelled before it starts throws and has no effect", CancelledBeforeStart),
    ];

    private static async Task FirstWrite(StoreBench b)
    {
        var etag = await b.ApplyAsync(b.Key("k"), First);
        await b.FoundAsync(b.Key("k"), First, etag);
    }

    private static async Task FirstWriteOntoExisting(StoreBench b)
    {
        var etag = await b.ApplyAsync(b.Key("k"), First);
        await b.ConflictAsync(b.Key("k"), Second, null);
        await b.FoundAsync(b.Key("k"), First, etag);
    }

    private static async Task Replace(StoreBench b)
    {
        var former = await b.ApplyAsync(b.Key("k"), First);
        var present = await b.ApplyAsync(b.Key("k"), Second, former);
        await b.FoundAsync(b.Key("k"), Second, present);
        await b.ConflictAsync(b.Key("k"), First, former);
        await b.FoundAsync(b.Key("k"), Second, present);
    }

    private static async Task Delete(StoreBench b)
    {
        var former = await b.ApplyAsync(b.Key("k"), First);
        var present = await b.ApplyAsync(b.Key("k"), Second, former);
        await b.DeleteConflictAsync(b.Key("k"), former);
        await b.FoundAsync(b.Key("k"), Second, present);
        await b.DeleteAsync(b.Key("k"), present);
        await b.NotFoundAsync(b.Key("k"));
        await b.DeleteConflictAsync(b.Key("k"), present);
    }

    private static async Task WriteAfterDelete(StoreBench b)
    {
        var gone = await b.ApplyAsync(b.Key("k"), First);
        await b.DeleteAsync(b.Key("k"), gone);
        await b.ConflictAsync(b.Key("k"), Second, gone);
        await b.NotFoundAsync(b.Key("k"));
        var present = await b.ApplyAsync(b.Key("k"), Second);
        await b.FoundAsync(b.Key("k"), Second, present);
    }

    private static async Task EtagsAreNeverReused(StoreBench b)
    {
        var seen = new HashSet<ETag>();
        for (var round = 0; round < 5; round++)
        {
            var created = await b.ApplyAsync(b.Key("k"), First);
            var replaced = await b.ApplyAsync(b.Key("k"), First, created);
            StoreBench.Expect(seen.Add(created) && seen.Add(replaced),
                "an etag that was never given before under the key", $"{created} and {replaced} after {string.Join(", ", seen)}");
            await b.DeleteAsync(b.Key("k"), replaced);
        }

        var last = await b.ApplyAsync(b.Key("k"), First);
        foreach (var old in seen)
        {
            await b.ConflictAsync(b.Key("k"), Second, old);
        }

        await b.FoundAsync(b.Key("k"), First, last);
    }

    private static async Task ForeignEtag(StoreBench b)
    {
        var etag = await b.ApplyAsync(b.Key("k"), First);
        string[] foreigners = ["", "*", "0", "-1", "99999999999999999999999", "not an etag", " " + etag, etag + " ", "0" + etag, "'"];
        foreach (var foreign in foreigners)
        {
            await b.ConflictAsync(b.Key("k"), Second, new ETag(foreign));
            await b.DeleteConflictAsync(b.Key("k"), new ETag(foreign));
        }

        await b.FoundAsync(b.Key("k"), First, etag);
    }

    private static async Task EtagOfAnotherKey(StoreBench b)
    {
        var one = await b.ApplyAsync(b.Key("one"), First);
        var other = await b.ApplyAsync(b.Key("other"), First);
        await b.ConflictAsync(b.Key("one"), Second, other);
        await b.DeleteConflictAsync(b.Key("one"), other);
        await b.ConflictAsync(b.Key("other"), Second, one);
        await b.FoundAsync(b.Key("one"), First, one);
        await b.FoundAsync(b.Key("other"), First, other);
    }

    private static async Task CancelledBeforeStart(StoreBench b)
    {
        var etag = await b.ApplyAsync(b.Key("k"), First);
        var cancelled = new CancellationToken(canceled: true);
        await StoreBench.ThrowsAsync<OperationCanceledException>(
            async () => await b.Store.WriteAsync(b.Key("k"), Second, etag, cancelled), "a cancelled write");
        await StoreBench.ThrowsAsync<OperationCanceledException>(
            async () => await b.Store.WriteAsync(b.Key("new"), Second, null, cancelled), "a cancelled first write");
        await StoreBench.ThrowsAsync<OperationCanceledException>(
            async () => await b.Store.DeleteAsync(b.Key("k"), etag, cancelled), "a cancelled delete");
        await StoreBench.ThrowsAsync<OperationCanceledException>(
            async () => await b.Store.ReadAsync(b.Key("k"), cancelled), "a cancelled read");
        await b.FoundAsync(b.Key("k"), First, etag);
        await b.NotFoundAsync(b.Key("new"));
    }
}
