namespace Geo.Storage.Quorum.Tests;

/// <summary>What another build has written or sent is refused with a reason, and never read as something else.</summary>
public sealed class QuorumCodecTests
{
    private static readonly AcceptorMeta _meta = new(
        Guid.NewGuid(), new Ballot(2, 7, 3), new StoreList(2, [KeyValuePair.Create(new ClusterId("a"), Guid.NewGuid())], 5), new(1, 5, 3));

    [Fact]
    public void Rows_of_this_build_begin_otherwise_than_rows_of_a_newer_one()
    {
        var value = new QuorumValue(new(1, 2, 3), new(1, 2, 3), IsLive: true, new byte[] { 9 }, []);
        foreach (var row in new[] { AcceptorRow.Empty, new(new(1, 8, 3), Ballot.None, null), new(new(1, 8, 3), new(1, 2, 3), value) })
        {
            var read = QuorumCodec.ReadRow(QuorumCodec.Write(row));
            Assert.Equal((row.Promised, row.Accepted, row.Value?.Tag), (read.Promised, read.Accepted, read.Value?.Tag));
        }

        Assert.Equal(_meta.Store, QuorumCodec.ReadMeta(QuorumCodec.Write(_meta)).Store);
        foreach (var isSettled in new[] { false, true })
        {
            Assert.Equal(isSettled, QuorumCodec.ReadKept(QuorumCodec.Write(new KeptList(_meta.Kept!, isSettled))).IsSettled);
        }
    }

    [Fact]
    public void A_list_that_joins_others_names_them_also_when_it_serves()
    {
        var began = new StoreList(1, [KeyValuePair.Create(new ClusterId("a"), Guid.NewGuid()), new(new ClusterId("b"), Guid.NewGuid())]);
        StoreList[] apart = [began.Forced([new ClusterId("a")]), began.Forced([new ClusterId("b")], promised: 7)];
        var joined = StoreList.Joined(apart, [], promised: 9);
        foreach (var list in (StoreList[])[apart[0], joined, joined.Next(joined.Stores)])
        {
            var read = QuorumCodec.ReadKept(QuorumCodec.Write(new KeptList(list, IsSettled: false))).Stores;
            Assert.Equal((list.Digest, list.Lineage, list.Version), (read.Digest, read.Lineage, read.Version));
            Assert.Equal((list.Before, list.Joins), (read.Before, read.Joins), (a, b) => a.Before.SequenceEqual(b.Before)
                && a.Joins.SequenceEqual(b.Joins));
            Assert.Equal(list != apart[0], Array.TrueForAll(apart, read.Supersedes));
            Assert.False(read.Supersedes(apart[1].Next(apart[1].Stores)));
        }

        Assert.Equal((2, 8, 10), (apart[0].Version, apart[1].Version, joined.Version));
    }

    [Fact]
    public void What_a_newer_build_has_written_is_not_to_be_overwritten()
    {
        foreach (var read in new Action[]
        {
            () => QuorumCodec.ReadRow([0, 1, 7, 7]), () => QuorumCodec.ReadMeta([1, 7, 7]), () => QuorumCodec.ReadKept([2, 7, 7]),
        })
        {
            var said = Assert.Throws<GeoSerializationException>(read).Message;
            Assert.Contains("was written by a newer build of Geo", said, StringComparison.Ordinal);
            Assert.Contains("do not overwrite it", said, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void What_an_acceptor_keeps_of_itself_says_what_to_do_where_it_cannot_be_read()
    {
        var said = Assert.Throws<GeoSerializationException>(() => QuorumCodec.ReadMeta(QuorumCodec.Write(_meta).AsSpan(0, 30))).Message;
        foreach (var part in (string[])["is damaged", "an older build of Geo for a QuorumConfiguration of another version", "in again"])
        {
            Assert.Contains(part, said, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_request_and_a_reply_of_another_build_are_refused_with_a_reason()
    {
        foreach (var read in new Action[] { () => QuorumCodec.ReadRequest([0, 99]), () => QuorumCodec.ReadReply([99]) })
        {
            Assert.Contains("another build", Assert.Throws<GeoSerializationException>(read).Message, StringComparison.Ordinal);
        }
    }
}
