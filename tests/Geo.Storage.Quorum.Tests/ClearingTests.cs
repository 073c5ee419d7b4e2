namespace Geo.Storage.Quorum.Tests;

/// <summary>A store is emptied, and given another name, before its cluster is taken in (rule R5).</summary>
public sealed class ClearingTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void A_store_that_was_never_in_a_list_is_taken_in_under_a_name_that_no_list_had()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var (us, africa) = (bench.OpenAll()[0], new ClusterId("africa"));
            await us.ReadAsync("k");
            var disk = new InMemoryConditionalStore();
            bench.Open(africa, disk);

            // Its name was told, and an earlier change, of which it did not hear, may have named it.
            var met = Assert.IsType<MetReply>(await bench.Silo(africa, disk).AnswerAsync(0, new MeetRequest(), Stop));
            await MadeAsync(us.AddKeeperAsync(africa));
            var meta = QuorumCodec.ReadMeta((await disk.ReadAsync(OwnKeys.Meta, Stop)).Value.Span);
            Assert.NotEqual(met.Store, meta.Store);
            Assert.True(meta.Kept!.Names(africa, meta.Store));
        });
    }

    [Fact]
    public void A_silo_that_stood_still_while_it_emptied_a_store_deletes_nothing_of_the_time_after_it_was_taken_in_again()
    {
        var bench = new RegisterBench();
        var disk = new HeldStore();
        bench.Run(async () =>
        {
            var us = bench.OpenAll(new InMemoryConditionalStore(), new InMemoryConditionalStore(), disk)[0];
            await us.WriteAsync("k", new byte[1], null);
            await us.SweepAsync();
            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Asia));
            disk.Holds = (what, _) => what == "begin";
            var now = QuorumCodec.ReadMeta((await disk.Inner.ReadAsync(OwnKeys.Meta, Stop)).Value.Span).Kept!;
            var still = bench.Silo(RegisterBench.Asia, disk).AnswerAsync(0, new ClearRequest(now), Stop).AsTask();
            await Task.Delay(TimeSpan.FromMilliseconds(1), bench.Time);
            Assert.Equal(1, disk.Held);

            disk.Holds = (_, _) => false;
            await MadeAsync(us.AddKeeperAsync(RegisterBench.Asia));
            await us.SweepAsync();
            Assert.Equal(StoreReadOutcome.Found, (await disk.Inner.ReadAsync("k")).Outcome);
            disk.LetGo();
            Assert.False(Assert.IsType<MetReply>(await still).IsFresh);
            Assert.Equal(StoreReadOutcome.Found, (await disk.Inner.ReadAsync("k")).Outcome);
        });
    }

    [Fact]
    public void A_store_whose_emptying_was_broken_off_is_taken_in_after_others_have_come()
    {
        var bench = new RegisterBench();
        bench.Options = bench.Options with { MaxPageRows = 1 };
        bench.Run(async () =>
        {
            var (us, africa) = (bench.OpenAll()[0], new ClusterId("africa"));
            foreach (var key in (string[])["k", "l", "m"])
            {
                await us.WriteAsync(key, new byte[1], null);
            }

            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Eu));
            var (driver, way) = bench.Client("driver");
            var asked = 0;
            way.Passes = (_, request) => request is not ClearRequest || ++asked == 1;
            Assert.Contains("not empty", (await driver.AddKeeperAsync(RegisterBench.Eu, Stop)).Message, StringComparison.Ordinal);
            bench.Open(africa, new InMemoryConditionalStore());
            await MadeAsync(us.AddKeeperAsync(africa));
            await MadeAsync(us.AddKeeperAsync(RegisterBench.Eu));
            Assert.Equal(4, us.Keepers.Count);
        });
    }

    private static async Task MadeAsync(Task<Geo.Directory.ConfigurationChange> change) =>
        Assert.True((await change).IsMade, (await change).Message);
}
