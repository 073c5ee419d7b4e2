using System.Globalization;
using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>Silos that follow a configuration as it changes, with their leases and stores.</summary>
public sealed class ConfigurationKeeperTests(ITestOutputHelper output)
{
    private const int Seeds = 100;

    private static readonly ClusterId A = new("a"), B = new("b"), C = new("c");

    [Fact]
    public void A_cluster_is_added_drained_and_removed_while_silos_run() => Run(1, async world =>
    {
        var (a, b, c) = await StartAllAsync(world);
        Assert.False(c.Works!.MayOwn(C));
        Assert.False(a.Works!.Includes(C));

        Assert.True((await world.AskAsync(a, o => o.AddAsync(C, ["c:1"]))).IsMade);
        await world.UntilAsync(() => world.All.TrueForAll(x => x.Silos.TrueForAll(s => s.Works!.MayOwn(C))));
        Assert.Equal((3, "c:1"), (a.Works!.Version, Assert.Single(b.Keeper.Present.Clusters[C].EntryPoints)));

        b.Held = 2;
        Assert.True((await world.AskAsync(a, o => o.RemoveAsync(B))).IsMade);
        await world.PassAsync(10);
        Assert.Contains("'b' holds 2 rows", (await DescribeAsync(a)).Waiting, StringComparison.Ordinal);
        Assert.True(a.Works!.Includes(B));
        b.Held = 0;
        await world.UntilAsync(() => !a.Works!.Includes(B) && !c.Works!.Includes(B));
        await world.UntilAsync(() => b.Works!.Version == 5);
        Assert.False(b.Works!.MayOwn(B));
        await world.PassAsync(5);
        var view = await DescribeAsync(c);
        Assert.Equal([("a", "member"), ("c", "member"), ("b", "outside")], view.Clusters.Select(x => (x.Cluster.Name, x.Stage)));
        Assert.Null(view.Waiting);

        Assert.True((await world.AskAsync(a, o => o.ReachAsync(C, ["c:2"]))).IsMade);
        await world.UntilAsync(() => a.Works!.Version == 6);
        Assert.Equal(
            [
                (6, "'c' is reached at c:2."), (5, "'b' has gone."), (4, "'b' leaves."), (3, "'c' is a member."), (2, "'c' joins."),
                (1, "The silo began with it: a, b."),
            ],
            a.Keeper.Steps.Newest(100).Select(step => (step.Version, step.What)));
    });

    [Fact]
    public void B_the_lease_of_a_dead_silo_holds_changes_up_until_it_is_fenced_off_and_no_longer() => Run(2, async world =>
    {
        var (a, _, _) = await StartAllAsync(world);
        var second = await world.StartAsync(world.All[1]);
        await world.PassAsync(10);
        Assert.True((await world.AskAsync(a, o => o.AddAsync(C, []))).IsMade);
        second.Crash(noticed: false);
        await world.PassAsync(2);
        Assert.Contains($"silo '{second.Node}' of cluster 'b'", (await DescribeAsync(a)).Waiting, StringComparison.Ordinal);
        await world.UntilAsync(() => a.Works!.MayOwn(C), (KeptClusters.Lease * 5).TotalSeconds);
    });

    [Fact]
    public void B_a_silo_that_cannot_reach_the_configuration_store_is_waited_for_and_named() => Run(3, async world =>
    {
        var (a, b, _) = await StartAllAsync(world);
        world.All[1].Way.Options.Unreachable = true;
        Assert.True((await world.AskAsync(a, o => o.AddAsync(C, []))).IsMade);
        await world.PassAsync(30);
        Assert.Contains("cluster 'b' has version 1", (await DescribeAsync(a)).Waiting, StringComparison.Ordinal);
        Assert.Equal(1, b.Works!.Version);
        world.All[1].Way.Options.Unreachable = false;
        await world.UntilAsync(() => a.Works!.MayOwn(C) && b.Works!.MayOwn(C));
    });

    [Fact]
    public void C12_two_lost_clusters_of_three_are_taken_out_together_and_one_that_returns_owns_nothing() => Run(4, async world =>
    {
        var (a, b, c) = await StartAllAsync(world);
        await world.AskAsync(a, o => o.AddAsync(C, []));
        await world.UntilAsync(() => new[] { a, b, c }.All(s => s.Works!.MayOwn(C)));
        b.Crash();
        c.Crash();
        Assert.True((await world.AskAsync(a, o => o.ForceRemoveAsync([B, C]))).IsMade);
        await world.UntilAsync(() => a.Works!.Clusters.Count == 1);

        var returned = await world.StartAsync(world.All[1]);
        Assert.False(returned.Works!.MayOwn(B));
        await world.PassAsync(5);
        Assert.Null((await DescribeAsync(a)).Waiting);

        // It may come anew, as any other.
        Assert.True((await world.AskAsync(a, o => o.AddAsync(B, []))).IsMade);
        await world.UntilAsync(() => a.Works!.MayOwn(B) && returned.Works!.MayOwn(B));
    });

    [Fact]
    public void C12_of_two_clusters_the_lost_one_is_taken_out_by_the_other_alone() => Run(5, async world =>
    {
        var (a, b) = (await world.StartAsync(world.All[0]), await world.StartAsync(world.All[1]));
        b.Crash();
        Assert.Contains(
            "make sure that it does not run", (await world.AskAsync(a, o => o.ForceRemoveAsync([B]))).Message, StringComparison.Ordinal);
        await world.UntilAsync(() => a.Works!.Clusters.Count == 1);
        Assert.True(a.Works!.MayOwn(A));
    });

    [Fact]
    public void A_store_that_was_set_back_is_followed_by_no_silo_that_runs_and_by_none_that_starts() => Run(6, async world =>
    {
        var (a, b, c) = await StartAllAsync(world);
        var backup = await ReadAsync(world);
        await world.AskAsync(a, o => o.AddAsync(C, []));
        await world.UntilAsync(() => new[] { a, b, c }.All(s => s.Works!.MayOwn(C)));
        await world.PassAsync(5);
        await RestoreAsync(world, backup);

        await world.UntilAsync(() => a.Keeper.Distrust is not null);
        Assert.Equal(3, a.Works!.Version);
        Assert.Contains("set back to a backup", (await world.AskAsync(a, o => o.RemoveAsync(C))).Message, StringComparison.Ordinal);
        b.Crash();
        var (_, refused) = await world.TryStartAsync(world.All[1]);
        Assert.Contains("set back to a backup", Assert.IsType<GeoConfigurationException>(refused).Message, StringComparison.Ordinal);

        // One that has lost everything is worse.
        await RestoreAsync(world, null);
        (_, refused) = await world.TryStartAsync(world.All[1]);
        Assert.Contains("is empty", Assert.IsType<GeoConfigurationException>(refused).Message, StringComparison.Ordinal);
    });

    [Fact]
    public void A_store_that_was_set_back_and_changed_again_is_followed_by_no_silo_that_runs_and_by_none_that_starts() =>
        Run(10, async world =>
        {
            var (a, b, _) = await StartAllAsync(world);
            var backup = ConfigurationDocument.Decode(await ReadAsync(world));
            await world.AskAsync(a, o => o.ReachAsync(A, ["a:1"]));
            await world.UntilAsync(() => a.Works!.Version == 2 && b.Works!.Version == 2);

            // As silos that know nothing of version 2 change it, one version further.
            var changed = backup.Next(backup.Clusters).Next(backup.Clusters);
            await RestoreAsync(world, changed.Encode());
            await world.UntilAsync(() => a.Keeper.Distrust is not null && b.Keeper.Distrust is not null);
            Assert.Equal((2, 2), (a.Works!.Version, b.Works!.Version));
            b.Crash();
            var (_, refused) = await world.TryStartAsync(world.All[1]);
            Assert.Contains(
                "was not made from the version 2 that this cluster has processed",
                Assert.IsType<GeoConfigurationException>(refused).Message, StringComparison.Ordinal);
        });

    [Fact]
    public void A_silo_whose_cluster_knows_nothing_asks_others_whether_the_store_was_set_back() => Run(11, async world =>
    {
        var (a, b, _) = await StartAllAsync(world);
        var backup = await ReadAsync(world);
        await world.AskAsync(a, o => o.ReachAsync(A, ["a:1"]));
        await world.UntilAsync(() => a.Works!.Version == 2 && b.Works!.Version == 2);
        var (ahead, early) = (a.Keeper.Present, ConfigurationDocument.Decode(backup));

        // As on a host whose rows go with its process: what it starts with is what the store holds.
        await RestoreAsync(world, backup);
        var documents = new ConfigurationDocuments(world.Shared);
        var keeper = new ConfigurationKeeper(
            B, documents, new StoredConfiguration(new InMemoryConditionalStore()), KeptClusters.Refresh, world.Time,
            Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance);
        await keeper.LoadAsync(() => early, CancellationToken.None);
        await keeper.EnsureFollowsAsync(A, early, CancellationToken.None);
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => keeper.EnsureFollowsAsync(A, ahead, CancellationToken.None));
        Assert.Contains("cluster 'a' has processed version 2: it was set back", refused.Message, StringComparison.Ordinal);

        // One that has only changed since it was read is no backup.
        await RestoreAsync(world, ahead.Encode());
        await keeper.EnsureFollowsAsync(A, ahead, CancellationToken.None);
    });

    [Fact]
    public void D_a_silo_starts_from_what_its_cluster_last_knew_where_the_store_does_not_answer_and_not_at_all_where_it_knew_nothing() =>
        Run(7, async world =>
        {
            var (a, b, _) = await StartAllAsync(world);
            await world.AskAsync(a, o => o.RemoveAsync(B));
            await world.UntilAsync(() => b.Works!.Version == 3);
            b.Crash();
            world.All[1].Way.Options.Unreachable = true;
            var returned = await world.StartAsync(world.All[1]);
            Assert.Equal(3, returned.Works!.Version);
            Assert.False(returned.Works.MayOwn(B));

            world.All[2].Rows.Options.Unreachable = true;
            var (_, refused) = await world.TryStartAsync(world.All[2]);
            Assert.IsType<GeoUnavailableException>(refused);
        });

    [Theory]
    [InlineData(9, "was written by a newer build")]
    [InlineData(0, "is damaged")]
    public void D_silos_go_on_and_start_with_what_their_cluster_last_knew_where_the_store_holds_what_they_cannot_read(
        byte form, string what) =>
        Run(12, async world =>
        {
            var (a, b, _) = await StartAllAsync(world);
            await world.AskAsync(a, o => o.ReachAsync(A, ["a:1"]));
            await world.UntilAsync(() => a.Works!.Version == 2 && b.Works!.Version == 2);
            var (readable, unreadable) = (await ReadAsync(world), new byte[] { form, 9 });
            await RestoreAsync(world, unreadable);
            await world.PassAsync(5);
            Assert.Equal(2, a.Works!.Version);
            b.Crash();
            var returned = await world.StartAsync(world.All[1]);
            Assert.Equal(2, returned.Works!.Version);
            var refused = await Assert.ThrowsAsync<GeoSerializationException>(() => DescribeAsync(a));
            Assert.Contains(what, refused.Message, StringComparison.Ordinal);

            // It is nobody's to write over, and counts again as soon as it can be read.
            Assert.Equal(unreadable, await ReadAsync(world));
            await RestoreAsync(world, readable);
            Assert.True((await world.AskAsync(returned, o => o.ReachAsync(A, ["a:2"]))).IsMade);

            // Where a cluster has processed what this build cannot read, an earlier version would not do.
            returned.Crash();
            await KeptClusters.SetAsync(world.All[1].Rows, StoredConfiguration.Key, unreadable);
            var (_, why) = await world.TryStartAsync(world.All[1]);
            Assert.Contains(
                $"this cluster's row store {what}", Assert.IsType<GeoSerializationException>(why).Message, StringComparison.Ordinal);
        });

    [Fact]
    public void A_silo_without_a_configuration_store_does_not_start_where_its_cluster_has_a_live_configuration() => Run(8, async world =>
    {
        await StartAllAsync(world);
        var member = world.All[0].Net.Join("a/fixed");
        var fixedList = new ClusterSilo(
            new ClusterSiloOptions { Clusters = ["a", "b"], LeaseDuration = KeptClusters.Lease }, world.All[0].Rows,
            member, member, new NoInstances(), world.Time, Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance);
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => fixedList.StartAsync(CancellationToken.None));
        Assert.Contains("Name the ConfigurationStore", refused.Message, StringComparison.Ordinal);
    });

    [Fact]
    public void C2_a_silo_whose_lease_comes_after_a_change_reads_the_configuration_again() => Run(9, AsiaComesBeforeALeaseAsync);

    [Fact]
    public void C2_it_would_serve_with_an_old_one_if_it_did_not()
    {
        SwitchedOff.Set([ProtocolRule.ConfigurationIsReadAgain]);
        try
        {
            Assert.Throws<SimulationException>(() => Run(9, AsiaComesBeforeALeaseAsync));
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    [Fact]
    public void Silos_that_serve_are_never_more_than_a_version_apart_whatever_fails()
    {
        var versions = 0L;
        for (var seed = 1; seed <= Seeds; seed++)
        {
            var world = new KeptClusters(seed);
            var failure = Failure(world);
            Assert.True(failure is null, $"seed {seed}: {failure}");
            versions += world.Version;
        }

        output.WriteLine($"{versions} versions in {Seeds} seeds");
        Assert.True(versions > 2 * Seeds, $"{versions} versions");
    }

    /// <summary>As many seeds as <c>GEO_CONFIGURATION_SEEDS</c> says.</summary>
    [Fact(Explicit = true)]
    public void Silos_that_serve_are_never_more_than_a_version_apart_in_a_long_search()
    {
        var seeds = int.Parse(Environment.GetEnvironmentVariable("GEO_CONFIGURATION_SEEDS") ?? "10000", CultureInfo.InvariantCulture);
        for (var seed = 1000; seed < 1000 + seeds; seed++)
        {
            var failure = Failure(new KeptClusters(seed));
            Assert.True(failure is null, $"seed {seed}: {failure}");
        }
    }

    /// <summary>With the first seed that misses it; 0 searches for it.</summary>
    [Theory]
    [InlineData(nameof(ProtocolRule.BarrierIsAwaited), 3)]
    [InlineData(nameof(ProtocolRule.VersionIsStoredFirst), 8)]
    [InlineData(nameof(ProtocolRule.ProcessedIsTold), 39)]
    public void A_rule_that_is_off_is_missed(string rule, int first)
    {
        SwitchedOff.Set([Enum.Parse<ProtocolRule>(rule)]);
        try
        {
            var last = first == 0 ? 2000 : first;
            for (var seed = first == 0 ? 1 : first; seed <= last; seed++)
            {
                if (Failure(new KeptClusters(seed)) is { } failure)
                {
                    output.WriteLine($"{rule} is missed by seed {seed}: {failure}");
                    Assert.Equal(first, seed);
                    return;
                }
            }

            Assert.Fail($"{rule} is not missed by seeds up to {last}");
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private static async Task AsiaComesBeforeALeaseAsync(KeptClusters world)
    {
        var (a, _, _) = await StartAllAsync(world);
        var gate = new TaskCompletionSource();
        var starting = world.TryStartAsync(world.All[1], () => gate.Task);
        await world.PassAsync(1);
        Assert.True((await world.AskAsync(a, o => o.AddAsync(C, []))).IsMade);
        await world.UntilAsync(() => a.Works!.MayOwn(C));
        gate.SetResult();
        Assert.Equal(3, (await starting).Silo.Works!.Version);
    }

    private static string? Failure(KeptClusters world)
    {
        try
        {
            world.Scheduler.Run(world.LiveAsync);
            return null;
        }
        catch (SimulationException e)
        {
            return e.Message;
        }
    }

    private static void Run(int seed, Func<KeptClusters, Task> test)
    {
        var world = new KeptClusters(seed);
        world.Scheduler.Run(() => test(world));
    }

    private static async Task<(KeptSilo A, KeptSilo B, KeptSilo C)> StartAllAsync(KeptClusters world) =>
        (await world.StartAsync(world.All[0]), await world.StartAsync(world.All[1]), await world.StartAsync(world.All[2]));

    private static Task<ConfigurationView> DescribeAsync(KeptSilo silo) =>
        silo.Lane.RunAsync(() => silo.Administration.DescribeAsync().AsTask());

    private static async Task<byte[]> ReadAsync(KeptClusters world) =>
        (await world.Shared.ReadAsync(ConfigurationDocuments.Key)).Value.ToArray();

    private static async Task RestoreAsync(KeptClusters world, byte[]? document)
    {
        var read = await world.Shared.ReadAsync(ConfigurationDocuments.Key);
        _ = document is null
            ? await world.Shared.DeleteAsync(ConfigurationDocuments.Key, read.ETag!.Value)
            : await world.Shared.WriteAsync(ConfigurationDocuments.Key, document, read.ETag);
    }

    private sealed class NoInstances : IInstanceTable
    {
        public bool Has(GrainKey key) => false;

        public Task DeactivateAsync(GrainKey key, string reason) => Task.CompletedTask;
    }
}
