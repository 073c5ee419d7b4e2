namespace Geo.Storage.Quorum.Tests;

/// <summary>Clusters are given up by force (rule C13) while messages are lost, a change is under way, or others do the same.</summary>
public sealed class ForcedKeepersFaultsTests
{
    private static readonly ClusterId Africa = new("africa"), Oceania = new("oceania"), Arctic = new("arctic");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void A_forced_list_that_no_survivor_has_taken_over_binds_nobody()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Array.ForEach([RegisterBench.Eu, RegisterBench.Asia, Africa], c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Asia);
            bench.Close(Africa);

            // One that does not reach eu, and whose word of the new list reaches nobody.
            var (driver, way) = bench.Client("driver");
            way.Passes = (to, request) => to != RegisterBench.Eu && request is not FoundRequest { Stores.IsForced: true };
            ClusterId[] lost = [RegisterBench.Eu, RegisterBench.Asia, Africa];
            await Assert.ThrowsAsync<GeoUnavailableException>(
                async () => Assert.Fail((await driver.ForceRemoveKeepersAsync(lost, Stop)).Message));

            way.Passes = (_, _) => true;
            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Asia, Africa], Stop);
            Assert.True(forced.IsMade, forced.Message);
            Assert.Equal([RegisterBench.Eu, RegisterBench.Us], us.Keepers);
            Assert.Equal(1, (await driver.ReadAsync("k")).Value.Length);
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_a_list_alone_had_whose_change_was_not_through_may_be_gone_and_is_told(bool isThrough)
    {
        var bench = Bench(RegisterBench.Clusters);
        bench.Run(async () =>
        {
            var stores = bench.OpenAll();
            var us = stores[0];
            var (writer, drops) = bench.Client("writer");
            var written = await writer.WriteAsync("k", new byte[1], null);
            drops.Passes = (to, request) => to != RegisterBench.Us || request is not AcceptRequest;
            Assert.Equal(StoreWriteOutcome.Applied, (await writer.WriteAsync("k", new byte[2], written.ETag)).Outcome);

            var (driver, way) = bench.Client("driver");
            way.Passes = (_, request) => isThrough || request is not ListRequest;
            Assert.True((await driver.RemoveKeeperAsync(RegisterBench.Asia, Stop)).IsMade);
            bench.Close(RegisterBench.Eu);
            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop);
            Assert.True(forced.IsMade, forced.Message);
            Assert.Equal(isThrough ? 2 : 1, (await us.ReadAsync("k")).Value.Length);
            Assert.Equal(isThrough, forced.Message!.Contains("Nothing that was confirmed is lost", StringComparison.Ordinal));
            Assert.Equal(!isThrough, forced.Message.Contains("was not through: what those before it", StringComparison.Ordinal));
        });
    }

    [Fact]
    public void What_those_had_who_came_and_never_were_heard_of_here_may_be_gone_and_is_told()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            var eu = Open(bench, RegisterBench.Eu);
            var written = await us.WriteAsync("k", new byte[1], null);
            Open(bench, RegisterBench.Asia);
            var (driver, way) = bench.Client("driver");
            way.Passes = (to, request) => to != RegisterBench.Us || request is not FoundRequest { Stores.Version: > 1 };
            way.SetsOut = (_, request) =>
            {
                if (request is FoundRequest { Stores.Version: > 1 })
                {
                    bench.Network.Isolate(RegisterBench.Us);
                }

                return Task.CompletedTask;
            };
            Assert.True((await driver.AddKeeperAsync(RegisterBench.Asia, Stop)).IsMade);
            Assert.Equal(StoreWriteOutcome.Applied, (await eu.WriteAsync("k", new byte[2], written.ETag)).Outcome);

            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Eu, RegisterBench.Asia, new("driver")], Stop);
            Assert.True(forced.IsMade, forced.Message);
            Assert.Equal(1, (await us.ReadAsync("k")).Value.Length);
            Assert.DoesNotContain("Nothing that was confirmed is lost", forced.Message, StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData("force")]
    [InlineData("sweep")]
    [InlineData("wait")]
    public void A_forced_list_below_what_a_survivor_has_promised_is_followed_by_one_above(string then)
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Asia, RegisterBench.Eu, Africa);
        bench.Run(async () =>
        {
            bench.Options = bench.Options with { SweepEvery = then == "wait" ? TimeSpan.FromHours(1) : null };
            var us = Open(bench, RegisterBench.Us);
            bench.Options = bench.Options with { SweepEvery = null };
            var asia = Open(bench, RegisterBench.Asia);
            ClusterId[] lost = [RegisterBench.Eu, Africa];
            Array.ForEach(lost, c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);

            // us takes the forced list over, and is cut off before asia hears of it.
            var (driver, way) = bench.Client("driver");
            way.Passes = (to, request) => !lost.Contains(to)
                && (to != RegisterBench.Asia || request is not FoundRequest { Stores.IsForced: true });
            await Assert.ThrowsAsync<GeoUnavailableException>(
                async () => Assert.Fail((await driver.ForceRemoveKeepersAsync(lost, Stop)).Message));
            (way.Hears, way.Passes) = (false, (_, _) => false);
            bench.Network.Isolate(RegisterBench.Us);
            Assert.True((await asia.RemoveKeeperAsync(RegisterBench.Us, Stop)).IsMade);
            Open(bench, Oceania);
            Assert.Equal(3, (await asia.AddKeeperAsync(Oceania, Stop)).Version);

            bench.Network.Heal();
            if (then == "force")
            {
                var forced = await us.ForceRemoveKeepersAsync([.. lost, new("driver")], Stop);
                Assert.True(forced.IsMade, forced.Message);
                Assert.Contains("What they alone had confirmed is gone", forced.Message, StringComparison.Ordinal);
            }
            else if (then == "sweep")
            {
                await us.SweepAsync(Stop);
            }
            else
            {
                await Task.Delay(TimeSpan.FromHours(2), bench.Time);
            }

            Assert.Equal((StoreReadOutcome.Found, 1), await FoundAsync(us));
            Assert.Equal((StoreReadOutcome.Found, 1), await FoundAsync(asia));
            Assert.Equal([RegisterBench.Asia, RegisterBench.Us], us.Keepers);
        });

        async Task<(StoreReadOutcome Outcome, int Bytes)> FoundAsync(QuorumConditionalStore store)
        {
            var read = await store.ReadAsync("k");
            for (var tries = 0; tries < 5 && read.Outcome == StoreReadOutcome.Unknown; tries++)
            {
                read = await store.ReadAsync("k");
            }

            return (read.Outcome, read.Value.Length);
        }
    }

    [Fact]
    public void Who_gives_a_cluster_up_is_told_when_others_went_on_with_it()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa, Oceania, Arctic);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            ClusterId[] lost = [Africa, Oceania, Arctic];
            Array.ForEach([RegisterBench.Eu, RegisterBench.Asia, .. lost], c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);
            Array.ForEach(lost, bench.Close);

            // One takes asia for lost, too, and tells us; the other tells eu and asia, and us when both have.
            var (more, far) = bench.Client("more");
            far.Passes = (to, request) => to != RegisterBench.Asia
                && (request is not FoundRequest { Stores.IsForced: true } || to == RegisterBench.Us);
            var (fewer, near) = bench.Client("fewer");
            near.Passes = (to, request) => to != RegisterBench.Us || request is not FoundRequest { Stores.IsForced: true };
            var (isTelling, isToTell) = (new TaskCompletionSource(), new TaskCompletionSource());
            near.SetsOut = (_, request) =>
            {
                if (request is not FoundRequest { Stores.IsForced: true })
                {
                    return Task.CompletedTask;
                }

                isTelling.TrySetResult();
                return isToTell.Task;
            };
            var second = fewer.ForceRemoveKeepersAsync(lost, Stop);
            await isTelling.Task;
            near.Hears = false;
            var first = more.ForceRemoveKeepersAsync([RegisterBench.Asia, .. lost, new("fewer")], Stop);
            await Task.Delay(TimeSpan.FromMilliseconds(500), bench.Time);
            isToTell.SetResult();
            await Task.Delay(TimeSpan.FromMilliseconds(500), bench.Time);

            (near.Hears, near.Passes, far.Passes) = (true, (_, _) => true, (_, _) => true);
            var forced = await us.ForceRemoveKeepersAsync(lost, Stop);
            Assert.True(forced.IsMade, forced.Message);
            Assert.Contains("[asia, eu, us] keep the store.", forced.Message, StringComparison.Ordinal);
            Assert.Contains("a survivor alone", (await second).Message, StringComparison.Ordinal);
            Assert.False((await first).IsMade, (await first).Message);
            Assert.Contains("with [asia]", (await first).Message, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Survivors_that_serve_are_joined_with_no_other_by_what_was_made_before_they_did()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa, Oceania, Arctic);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            ClusterId[] lost = [Africa, Oceania, Arctic];
            Array.ForEach([RegisterBench.Eu, RegisterBench.Asia, .. lost], c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);
            Array.ForEach(lost, bench.Close);

            // One tells asia alone; the other takes asia for lost, too, and tells us alone.
            await TellAsync("fewer", RegisterBench.Asia, lost);
            await TellAsync("more", RegisterBench.Us, [RegisterBench.Asia, .. lost, new("fewer")], RegisterBench.Asia);

            // The two lists are joined: asia hears of that one, and nobody else.
            var (joiner, way) = bench.Client("joiner");
            way.Passes = (to, request) => to == RegisterBench.Asia || request is not FoundRequest { Stores.IsForced: true };
            await FailsAsync(joiner, [.. lost, new("more"), new("fewer")]);
            way.Hears = false;
            bench.Network.Isolate(RegisterBench.Asia);
            await us.SweepAsync(Stop);
            Assert.Equal([RegisterBench.Eu, RegisterBench.Us], us.Keepers);
            var read = await us.ReadAsync("k");
            Assert.Equal(1, read.Value.Length);
            Assert.Equal(StoreWriteOutcome.Applied, (await us.DeleteAsync("k", read.ETag!.Value)).Outcome);
            await us.SweepAsync(Stop);
            await us.SweepAsync(Stop);

            bench.Network.Heal();
            await us.SweepAsync(Stop);
            Assert.Equal(StoreReadOutcome.NotFound, (await us.ReadAsync("k")).Outcome);
            var refused = await us.ForceRemoveKeepersAsync([.. lost, new("more"), new("fewer"), new("joiner")], Stop);
            Assert.Contains("[eu, us] go on by themselves, and [asia] keep another", refused.Message, StringComparison.Ordinal);

            // Whoever starts hears of both, and works with the one that serves; so does who has known the other one.
            var (starts, from) = bench.Client("starts");
            from.Passes = (to, _) => to == RegisterBench.Asia;
            var begins = starts.ReadAsync("k").AsTask();
            await Task.Delay(TimeSpan.FromMilliseconds(100), bench.Time);
            from.Passes = (_, _) => true;
            await begins;
            Assert.Equal(StoreReadOutcome.NotFound, (await starts.ReadAsync("k")).Outcome);
            (way.Hears, way.Passes) = (true, (_, _) => true);
            await joiner.ReadAsync("k");
            Assert.Equal(StoreReadOutcome.NotFound, (await joiner.ReadAsync("k")).Outcome);
        });

        async Task TellAsync(string by, ClusterId told, ClusterId[] lost, ClusterId unreached = default)
        {
            var (driver, way) = bench.Client(by);
            way.Passes = (to, request) => to != unreached && (request is not FoundRequest { Stores.IsForced: true } || to == told);
            await FailsAsync(driver, lost);
            way.Hears = false;
        }

        Task FailsAsync(QuorumConditionalStore driver, ClusterId[] lost) =>
            Assert.ThrowsAsync<GeoUnavailableException>(
                async () => Assert.Fail((await driver.ForceRemoveKeepersAsync(lost, Stop)).Message));
    }

    [Fact]
    public void An_emptied_store_is_taken_in_though_a_process_works_with_the_other_register_yet()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            var eu = Open(bench, RegisterBench.Eu);
            var written = await us.WriteAsync("k", new byte[1], null);
            var (client, way) = bench.Client("client");
            bench.Network.Isolate(RegisterBench.Us);
            Assert.True((await us.ForceRemoveKeepersAsync([RegisterBench.Eu, new("client")], Stop)).IsMade);
            way.Passes = (to, _) => to != RegisterBench.Us;
            Assert.True((await eu.ForceRemoveKeepersAsync([RegisterBench.Us], Stop)).IsMade);
            Assert.Equal(1, (await client.ReadAsync("k")).Value.Length);

            bench.Close(RegisterBench.Eu);
            eu = Open(bench, RegisterBench.Eu);
            Assert.Equal(StoreReadOutcome.Unknown, (await client.ReadAsync("k")).Outcome);
            bench.Network.Heal();
            var added = await us.AddKeeperAsync(RegisterBench.Eu, Stop);
            Assert.True(added.IsMade, added.Message);
            Assert.Equal(StoreReadOutcome.Unknown, (await client.ReadAsync("k")).Outcome);
            Assert.True((await us.SweepAsync(Stop)).IsComplete);
            Assert.Equal(StoreWriteOutcome.Applied, (await us.WriteAsync("k", new byte[2], written.ETag)).Outcome);
        });
    }

    [Fact]
    public void To_name_nobody_is_refused_also_when_clusters_were_given_up_before()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Open(bench, RegisterBench.Eu);
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Eu);
            Assert.True((await us.ForceRemoveKeepersAsync([RegisterBench.Eu], Stop)).IsMade);
            bench.Open(RegisterBench.Eu, bench.DiskOf(RegisterBench.Eu));
            var again = await us.ForceRemoveKeepersAsync([], Stop);
            Assert.False(again.IsMade, again.Message);
            Assert.Contains("no cluster is named", again.Message, StringComparison.Ordinal);
        });
    }

    private static RegisterBench Bench(params ClusterId[] clusters) => new() { Configuration = new(1, clusters) };

    private static QuorumConditionalStore Open(RegisterBench bench, ClusterId cluster) =>
        bench.Open(cluster, new InMemoryConditionalStore());
}
