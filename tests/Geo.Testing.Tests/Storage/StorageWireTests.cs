using Geo.Testing.Storage;

namespace Geo.Testing.Tests.Storage;

/// <summary>What travels between a remote store and the account that serves it.</summary>
public sealed class StorageWireTests
{
    [Fact]
    public void Requests_come_back_as_they_were_sent()
    {
        StorageRequest[] requests =
        [
            new(StorageOperation.Read, "k"),
            new(StorageOperation.Write, "k", Value: new byte[] { 1, 2 }),
            new(StorageOperation.Write, "k", new ETag("7")),
            new(StorageOperation.Delete, "ü", new ETag("")),
            new(StorageOperation.List, ""),
            new(StorageOperation.List, "p/", After: "p/1"),
        ];

        foreach (var sent in requests)
        {
            var received = StorageRequest.Read(sent.ToPayload());
            Assert.Equal(sent with { Value = default }, received with { Value = default });
            Assert.Equal(sent.Value.ToArray(), received.Value.ToArray());
        }
    }

    [Fact]
    public void Results_come_back_as_they_were_sent()
    {
        StoreRead[] reads =
            [StoreRead.NotFound, StoreRead.Unknown("why"), StoreRead.Found(new byte[] { 1 }, new ETag("3")),
                StoreRead.Found(default, new ETag("4"))];
        foreach (var sent in reads)
        {
            var received = StorageReply.ToRead(Reply(w => StorageReply.Write(w, sent)));
            Assert.Equal((sent.Outcome, sent.ETag, sent.Reason), (received.Outcome, received.ETag, received.Reason));
            Assert.Equal(sent.Value.ToArray(), received.Value.ToArray());
        }

        StoreWrite[] writes = [StoreWrite.Applied(new ETag("5")), StoreWrite.Deleted, StoreWrite.Conflict, StoreWrite.Unknown("why")];
        foreach (var sent in writes)
        {
            Assert.Equal(sent, StorageReply.ToWrite(Reply(w => StorageReply.Write(w, sent))));
        }
    }

    [Fact]
    public void Pages_come_back_as_they_were_sent()
    {
        var sent = new StoragePage(
            [new StoreEntry("a", new byte[] { 1 }, new ETag("1")), new StoreEntry("b", default, new ETag("2"))], HasMore: true);

        var received = StorageReply.ToPage(Reply(w => StorageReply.Write(w, sent)));

        Assert.True(received.HasMore);
        Assert.Equal(sent.Entries.Select(e => (e.Key, e.ETag)), received.Entries.Select(e => (e.Key, e.ETag)));
        Assert.Equal([1], received.Entries[0].Value.ToArray());
    }

    [Fact]
    public void Refusals_are_thrown_at_the_other_end_with_their_message()
    {
        var refused = Reply(w => StorageReply.WriteRefusal(w, new GeoStorageException("too large")));
        var unavailable = Reply(w => StorageReply.WriteRefusal(w, new GeoUnavailableException("gone")));

        Assert.Equal("too large", Assert.Throws<GeoStorageException>(() => StorageReply.ToWrite(refused)).Message);
        Assert.Equal("gone", Assert.Throws<GeoUnavailableException>(() => StorageReply.ToPage(unavailable)).Message);
    }

    [Fact]
    public void Damaged_requests_and_replies_are_refused_with_Geo_exceptions_only()
    {
        var random = new Random(1);
        var request = new StorageRequest(StorageOperation.Write, "key", new ETag("17"), Value: new byte[20]).ToPayload().ToArray();
        var reply = Reply(w => StorageReply.Write(w, new StoragePage([new StoreEntry("a", new byte[9], new ETag("1"))], HasMore: false)));
        var refused = 0;
        for (var round = 0; round < 20_000; round++)
        {
            refused += Refuses(() => StorageRequest.Read(Damage(request, random)));
            refused += Refuses(() => StorageReply.ToPage(Damage(reply, random)));
            refused += Refuses(() => StorageReply.ToRead(Damage(reply, random)));
            refused += Refuses(() => StorageReply.ToWrite(Damage(reply, random)));
        }

        Assert.InRange(refused, 10_000, 80_000);
    }

    private static int Refuses(Action read)
    {
        try
        {
            read();
            return 0;
        }
        catch (GeoException)
        {
            return 1;
        }
    }

    private static byte[] Damage(byte[] payload, Random random)
    {
        var damaged = payload[..random.Next(1, payload.Length + 1)];
        damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
        return damaged;
    }

    private static byte[] Reply(Action<PayloadWriter> write)
    {
        var writer = new PayloadWriter();
        write(writer);
        return writer.ToArray();
    }
}
