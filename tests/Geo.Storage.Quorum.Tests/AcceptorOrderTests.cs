namespace Geo.Storage.Quorum.Tests;

/// <summary>
/// What comes late to a key that has been forgotten brings nothing back: a first row carries nothing (rule R3), and the floor is read
/// after the row (R2).
/// </summary>
public sealed class AcceptorOrderTests
{
    [Fact]
    public void A_first_write_that_lands_after_the_key_was_forgotten_brings_no_value_back() =>
        Assert.Equal(StoreReadOutcome.NotFound, AfterALateFirstWrite());

    [Fact]
    public void It_would_if_a_first_row_carried_a_value() =>
        Assert.Equal(StoreReadOutcome.Found, AfterALateFirstWrite(ProtocolRule.FirstRowIsEmpty));

    [Fact]
    public void A_floor_that_is_read_after_the_row_holds_for_what_was_forgotten_meanwhile() =>
        Assert.IsType<RefusedReply>(SecondOfTwoThatWaitedForTheirRow());

    [Fact]
    public void It_would_not_if_it_were_read_before() =>
        Assert.IsType<AcceptedReply>(SecondOfTwoThatWaitedForTheirRow(ProtocolRule.FloorIsReadLast));

    // us and eu decide a value whose first write at asia hangs; it is deleted and forgotten everywhere, and then asia's store comes to it.
    private static StoreReadOutcome AfterALateFirstWrite(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var disk = new HeldStore();
        var end = StoreReadOutcome.Unknown;
        bench.Run(
            async () =>
            {
                var stores = bench.OpenAll(new InMemoryConditionalStore(), new InMemoryConditionalStore(), disk);
                await stores[0].ReadAsync("other");
                var (writer, way) = bench.Client("writer");
                way.Passes = (to, request) => to != RegisterBench.Asia || request is AcceptRequest;
                disk.Holds = (what, key) => what == "write" && key == "k";
                var written = await writer.WriteAsync("k", new byte[1], null);
                await Task.Delay(TimeSpan.FromMilliseconds(100), bench.Time);
                disk.Holds = (_, _) => false;
                Assert.Equal(1, disk.Held);

                Assert.Equal(StoreWriteOutcome.Applied, (await stores[0].DeleteAsync("k", written.ETag!.Value)).Outcome);
                await stores[0].SweepAsync();
                await stores[0].SweepAsync();
                Assert.Equal(StoreReadOutcome.NotFound, (await disk.Inner.ReadAsync("k")).Outcome);

                disk.LetGo();
                await Task.Delay(TimeSpan.FromMilliseconds(100), bench.Time);
                var (reader, road) = bench.Client("reader");
                road.Passes = (to, _) => to != RegisterBench.Us;
                end = (await reader.ReadAsync("k")).Outcome;
            },
            without);
        return end;
    }

    // Two copies of one old request have begun before the key is forgotten, and come to its row afterwards.
    private static QuorumReply? SecondOfTwoThatWaitedForTheirRow(params ProtocolRule[] without)
    {
        var bench = new RegisterBench();
        var disk = new HeldStore();
        QuorumReply? end = null;
        bench.Run(
            async () =>
            {
                var stores = bench.OpenAll(new InMemoryConditionalStore(), new InMemoryConditionalStore(), disk);
                var old = new Ballot(1, 1, 1);
                var request = new AcceptRequest("k", old, QuorumValue.After(ChainEnd.Nothing, old, true, new byte[1]), Ballot.None);
                await stores[0].ReadAsync("other");
                disk.Holds = (what, key) => what == "read" && key == "k";
                _ = bench.ArriveAsync(RegisterBench.Asia, request);
                var second = bench.ArriveAsync(RegisterBench.Asia, request);
                await Task.Delay(TimeSpan.FromMilliseconds(10), bench.Time);
                disk.Holds = (_, _) => false;
                Assert.Equal(2, disk.Held);

                var written = await stores[0].WriteAsync("k", new byte[1], null);
                Assert.Equal(StoreWriteOutcome.Applied, (await stores[0].DeleteAsync("k", written.ETag!.Value)).Outcome);
                await stores[0].SweepAsync();
                await stores[0].SweepAsync();
                disk.LetGo();
                await Task.Delay(TimeSpan.FromMilliseconds(10), bench.Time);
                disk.LetGo();
                end = await second;
            },
            without);
        return end;
    }
}
