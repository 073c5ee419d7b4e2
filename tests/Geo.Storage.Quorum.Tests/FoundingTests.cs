namespace Geo.Storage.Quorum.Tests;

/// <summary>A register begins once, whoever keeps it later and whatever store is lost (rule R5).</summary>
public sealed class FoundingTests
{
    private static readonly ClusterId Africa = new("africa"), Oceania = new("oceania");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void A_cluster_that_began_alone_and_has_lost_its_store_finds_the_register_that_others_keep()
    {
        var bench = new RegisterBench { Configuration = new(1, [RegisterBench.Us]) };
        bench.Run(async () =>
        {
            await KeptByThreeAsync(bench);
            var disk = new InMemoryConditionalStore();
            bench.Close(RegisterBench.Us);
            var us = bench.Open(RegisterBench.Us, disk);
            Assert.Equal(3, (await us.ReadAsync("k")).Value.Length);
            Assert.Equal(3, us.Keepers.Count);

            // Its store knows now that there is one, and begins none where nobody else answers.
            Assert.Equal(3, (await MetaAsync(disk)).Kept?.Version);
            Cut(bench);
            bench.Close(RegisterBench.Us);
            us = bench.Open(RegisterBench.Us, disk);
            Assert.Equal(StoreReadOutcome.Unknown, (await us.ReadAsync("k")).Outcome);

            // It is taken out and in as any other.
            bench.Network.Heal();
            await MadeAsync(us.RemoveKeeperAsync(RegisterBench.Us));
            await MadeAsync(us.AddKeeperAsync(RegisterBench.Us));
            Assert.True((await us.SweepAsync()).IsComplete);
        });
    }

    [Fact]
    public void A_cluster_that_has_lost_its_store_begins_nothing_while_one_that_may_keep_the_register_does_not_answer()
    {
        var bench = new RegisterBench { Configuration = new(1, [RegisterBench.Us]) };
        bench.Run(async () =>
        {
            await KeptByThreeAsync(bench);
            bench.Close(RegisterBench.Us);
            Cut(bench);
            var us = bench.Open(RegisterBench.Us, new InMemoryConditionalStore());
            var read = await us.ReadAsync("k");
            Assert.Equal(StoreReadOutcome.Unknown, read.Outcome);
            Assert.Contains("[africa, oceania] have not", read.Reason, StringComparison.Ordinal);
            bench.Network.Heal();
            Assert.Equal(3, (await us.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void Lists_and_sweeps_of_a_process_that_finds_no_register_end()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            var us = bench.Open(RegisterBench.Us, new InMemoryConditionalStore());
            Func<Task>[] waits = [() => us.ListAsync("", Stop).ToListAsync(Stop).AsTask(), () => us.SweepAsync(Stop)];
            foreach (var wait in waits)
            {
                var unfounded = await Assert.ThrowsAsync<GeoUnavailableException>(
                    () => wait().WaitAsync(TimeSpan.FromMinutes(1), bench.Time, Stop));
                Assert.Contains("[asia, eu] have not", unfounded.Message, StringComparison.Ordinal);
            }
        });
    }

    [Fact]
    public void All_that_began_may_go_and_whoever_starts_or_slept_finds_the_clusters_of_today()
    {
        var bench = new RegisterBench { Configuration = new(1, [RegisterBench.Us]) };
        bench.Run(async () =>
        {
            var us = bench.Open(RegisterBench.Us, new InMemoryConditionalStore());
            await us.WriteAsync("k", new byte[3], null);
            var (sleeper, ear) = bench.Client("sleeper");
            await sleeper.ReadAsync("k");
            ear.Hears = false;
            InMemoryConditionalStore disk = new();
            var africa = bench.Open(Africa, disk);
            await MadeAsync(us.AddKeeperAsync(Africa));
            await MadeAsync(africa.RemoveKeeperAsync(RegisterBench.Us));
            bench.Close(RegisterBench.Us);

            var (client, _) = bench.Client("client");
            Assert.Equal(3, (await client.ReadAsync("k")).Value.Length);
            Assert.Equal(3, (await sleeper.ReadAsync("k")).Value.Length);
            Assert.Equal([Africa], sleeper.Keepers);
            bench.Close(Africa);
            africa = bench.Open(Africa, disk);
            Assert.Equal(3, (await africa.ReadAsync("k")).Value.Length);
        });
    }

    [Fact]
    public void A_register_that_somebody_has_worked_with_is_not_begun_anew_when_all_its_stores_are_lost()
    {
        var bench = new RegisterBench { Configuration = new(1, [RegisterBench.Us]) };
        bench.Run(async () =>
        {
            var us = bench.Open(RegisterBench.Us, new InMemoryConditionalStore());
            await us.WriteAsync("k", new byte[3], null);
            Assert.Equal(StoreReadOutcome.Found, (await bench.Client("client").Store.ReadAsync("k")).Outcome);
            bench.Close(RegisterBench.Us);
            us = bench.Open(RegisterBench.Us, new InMemoryConditionalStore());
            var read = await us.ReadAsync("k");
            Assert.Equal(StoreReadOutcome.Unknown, read.Outcome);
            Assert.Contains("Cluster client has worked with", read.Reason, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void A_cluster_that_does_not_use_the_store_holds_its_beginning_up_for_as_long_as_it_might_be_starting()
    {
        var bench = new RegisterBench();
        bench.Run(async () =>
        {
            bench.Link(new("nobody"));
            var began = bench.Time.Elapsed;
            Assert.Equal(StoreWriteOutcome.Applied, (await bench.OpenAll()[0].WriteAsync("k", new byte[1], null)).Outcome);
            Assert.InRange(
                bench.Time.Elapsed - began, bench.Options.RequestTimeout, bench.Options.RequestTimeout + TimeSpan.FromSeconds(1));
        });
    }

    // us began alone, and africa and oceania came.
    private static async Task KeptByThreeAsync(RegisterBench bench)
    {
        var us = bench.Open(RegisterBench.Us, new InMemoryConditionalStore());
        await us.WriteAsync("k", new byte[3], null);
        bench.Open(Africa, new InMemoryConditionalStore());
        bench.Open(Oceania, new InMemoryConditionalStore());
        await MadeAsync(us.AddKeeperAsync(Africa));
        await MadeAsync(us.AddKeeperAsync(Oceania));
    }

    private static void Cut(RegisterBench bench)
    {
        foreach (var other in new[] { Africa, Oceania })
        {
            bench.Network.Cut(RegisterBench.Us, other);
            bench.Network.Cut(other, RegisterBench.Us);
        }
    }

    private static async Task<AcceptorMeta> MetaAsync(InMemoryConditionalStore disk) =>
        QuorumCodec.ReadMeta((await disk.ReadAsync(OwnKeys.Meta, Stop)).Value.Span);

    private static async Task MadeAsync(Task<Geo.Directory.ConfigurationChange> change) =>
        Assert.True((await change).IsMade, (await change).Message);
}
