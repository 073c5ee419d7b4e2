using System.Diagnostics;
using Geo.Directory;
using Geo.Storage.Quorum;

namespace Geo.Embedded.Tests;

/// <summary>Clusters that keep by majority who owns a grain: three, or two of which one is given up.</summary>
public sealed class QuorumModeTests
{
    private static readonly string[] Clusters = ["us", "eu", "asia"];

    private readonly Dictionary<string, InMemoryConditionalStore> _disks =
        Clusters.ToDictionary(c => c, _ => new InMemoryConditionalStore());

    public interface IOwned : IGrainWithStringKey
    {
        Task<long> Epoch();

        Task<string> Where();
    }

    public interface IUnowned : IGrainWithStringKey
    {
        Task<long> Epoch();
    }

    [Fact]
    public async Task A_grain_has_one_instance_and_goes_on_where_it_is_called_when_its_cluster_ends()
    {
        await using var us = await StartAsync("us", ("eu", null), ("asia", null));
        await using var eu = await StartAsync("eu", ("us", us.Address), ("asia", null));
        var asia = await StartAsync("asia", ("us", us.Address), ("eu", eu.Address));
        await us.LinkedAsync("eu", "asia");
        await eu.LinkedAsync("us", "asia");

        var owner = await asia.Grains.GetGrain<IOwned>("a").Where();
        var epoch = await asia.Grains.GetGrain<IOwned>("a").Epoch();
        Assert.Equal(owner, await us.Grains.GetGrain<IOwned>("a").Where());
        Assert.Equal(epoch, await eu.Grains.GetGrain<IOwned>("a").Epoch());

        await asia.DisposeAsync();
        var next = await Eventually.AnsweredAsync(() => us.Grains.GetGrain<IOwned>("a").Epoch());
        Assert.True(next > epoch, $"{next} after {epoch}");
        Assert.Equal(next, await eu.Grains.GetGrain<IOwned>("a").Epoch());
        await Eventually.AnsweredAsync(() => eu.Grains.GetGrain<IOwned>("never called").Epoch());
    }

    [Fact]
    public async Task Of_two_clusters_of_which_one_is_lost_for_ever_the_other_goes_on_by_force()
    {
        await using var us = await StartPairAsync("us", ("eu", null));
        var eu = await StartPairAsync("eu", ("us", us.Address));
        await us.LinkedAsync("eu");
        var epoch = await Eventually.AnsweredAsync(() => eu.Grains.GetGrain<IOwned>("a").Epoch());
        Assert.Equal(epoch, await us.Grains.GetGrain<IOwned>("a").Epoch());
        await Eventually.AnsweredAsync(() => us.Grains.GetGrain<IOwned>("b").Epoch());
        await eu.DisposeAsync();
        await Eventually.HoldsAsync(() => !us.Silo.IsLinkedTo(new("eu")), "eu is gone");
        await Eventually.HoldsAsync(
            async () => await Record.ExceptionAsync(() => us.Grains.GetGrain<IOwned>("b").Epoch()) is GeoUnavailableException,
            "us has no majority");

        var began = Stopwatch.StartNew();
        var store = (QuorumConditionalStore)us.Silo.FindStore(GeoStorage.Quorum);
        var forced = await store.ForceRemoveKeepersAsync([new("eu")], TestContext.Current.CancellationToken);
        Assert.True(forced.IsMade, forced.Message);
        var next = await Eventually.AnsweredAsync(() => us.Grains.GetGrain<IOwned>("a").Epoch());
        Assert.True(next > epoch, $"{next} after {epoch}");
        await Eventually.AnsweredAsync(() => us.Grains.GetGrain<IOwned>("b").Epoch());
        await Eventually.AnsweredAsync(() => us.Grains.GetGrain<IOwned>("never called").Epoch());
        TestContext.Current.TestOutputHelper!.WriteLine($"answered {began.Elapsed.TotalSeconds:0.0} s after it was forced");
        Assert.InRange(began.Elapsed, new QuorumStoreOptions().ForcedWait, TimeSpan.FromSeconds(20));

        // It comes back with all that it had, keeps nothing, and takes grains again.
        await using var back = await StartPairAsync("eu", ("us", us.Address));
        await us.LinkedAsync("eu");
        Assert.Equal(next, await Eventually.AnsweredAsync(() => back.Grains.GetGrain<IOwned>("a").Epoch()));
        await Eventually.AnsweredAsync(() => back.Grains.GetGrain<IOwned>("begun there").Epoch());
        Assert.Equal(["us"], ((QuorumConditionalStore)back.Silo.FindStore(GeoStorage.Quorum)).Keepers.Select(c => c.Name));
    }

    [Fact]
    public async Task A_cluster_that_is_drained_gives_its_grains_up_and_nobodys_call_fails()
    {
        var configuration = new InMemoryConditionalStore();
        await using var us = await StartLiveAsync(configuration, "us", ("eu", null), ("asia", null));
        await using var eu = await StartLiveAsync(configuration, "eu", ("us", us.Address), ("asia", null));
        await using var asia = await StartLiveAsync(configuration, "asia", ("us", us.Address), ("eu", eu.Address));
        await us.LinkedAsync("eu", "asia");
        await eu.LinkedAsync("us", "asia");

        var grain = asia.Grains.GetGrain<IOwned>("a");
        var first = await Eventually.AnsweredAsync(grain.Epoch);
        var there = await grain.Where();
        await Eventually.HoldsAsync(
            async () => (await us.Silo.Configuration!.RemoveAsync(new("asia"))).IsMade, "asia may leave when all have processed version 1");
        await Eventually.HoldsAsync(
            async () =>
            {
                await us.Grains.GetGrain<IOwned>("a").Epoch();
                await asia.Grains.GetGrain<IOwned>("b").Epoch();
                var view = await us.Silo.Configuration!.DescribeAsync();
                return view.Clusters.All(c => c.Cluster != new ClusterId("asia") || c.Stage == "outside");
            },
            "asia has gone");

        Assert.True(await us.Grains.GetGrain<IOwned>("a").Epoch() > first);
        Assert.NotEqual(there, await asia.Grains.GetGrain<IOwned>("a").Where());

        // Two are left of the three that keep the store: neither can be spared.
        await asia.DisposeAsync();
        await Eventually.HoldsAsync(() => !us.Silo.IsLinkedTo(new("asia")), "asia has stopped");
        var refused = "";
        await Eventually.HoldsAsync(
            async () =>
            {
                refused = (await us.Silo.Configuration!.RemoveAsync(new("eu"))).Message;
                return refused.Contains("majority", StringComparison.Ordinal);
            },
            "eu is not taken out");
        Assert.Contains("without it us would be left within reach", refused, StringComparison.Ordinal);
    }

    /// <summary>No store but their own: who owns a grain and who belongs to the service is kept by the same majority.</summary>
    [Fact]
    public async Task One_region_becomes_three_and_goes_and_its_configuration_stays_with_the_others()
    {
        var us = await GrowAsync("us");
        var first = await Eventually.AnsweredAsync(us.Grains.GetGrain<IOwned>("a").Epoch);
        await using var eu = await GrowAsync("eu", ("us", us.Address));
        await using var asia = await GrowAsync("asia", ("us", us.Address), ("eu", eu.Address));
        foreach (var (cluster, silo) in new[] { ("eu", eu), ("asia", asia) })
        {
            await silo.LinkedAsync("us");
            await ChangedAsync(() => us.Silo.Configuration!.AddAsync(new(cluster), [silo.Address]).AsTask());
            await AreAsync(us, cluster, "member");
            await ChangedAsync(() => KeptBy(us).AddKeeperAsync(new(cluster)));
        }

        await asia.LinkedAsync("eu");
        await ChangedAsync(() => eu.Silo.Configuration!.RemoveAsync(new("us")).AsTask());
        await AreAsync(eu, "us", "outside");
        await ChangedAsync(() => KeptBy(eu).RemoveKeeperAsync(new("us")));
        await us.DisposeAsync();

        Assert.True(await Eventually.AnsweredAsync(eu.Grains.GetGrain<IOwned>("a").Epoch) > first);
        Assert.Equal(
            await eu.Grains.GetGrain<IOwned>("a").Where(), await Eventually.AnsweredAsync(asia.Grains.GetGrain<IOwned>("a").Where));
        await ChangedAsync(() => asia.Silo.Configuration!.ReachAsync(new("eu"), [eu.Address]).AsTask());
        var kept = await KeptBy(asia).DescribeKeepersAsync(TestContext.Current.CancellationToken);
        Assert.Equal(["asia", "eu"], kept.Clusters.Select(c => c.Name).Order());

        static IKeptStore KeptBy(TestSilo silo) => Assert.Single(((GeoSilo)silo.Silo).KeptStores).Value;

        static async Task ChangedAsync(Func<Task<ConfigurationChange>> change)
        {
            var last = "";
            await Eventually.HoldsAsync(
                async () =>
                {
                    var changed = await change();
                    last = changed.Message;
                    return changed.IsMade;
                },
                "the change is made", seen: () => last);
        }

        static Task AreAsync(TestSilo silo, string cluster, string stage) => Eventually.HoldsAsync(
            async () => (await silo.Silo.Configuration!.DescribeAsync()).Clusters
                .Any(c => c.Cluster == new ClusterId(cluster) && c.Stage == stage),
            $"{cluster} is {stage}");
    }

    /// <summary>Its successor writes by now: it would lose to it again and again, and keep the silo from the grain meanwhile.</summary>
    [Fact]
    public async Task An_instance_whose_lease_is_lost_waits_for_its_store_no_longer()
    {
        var journal = new SilentStore(new InMemoryConditionalStore()) { HangsInSilence = true };
        await using var us = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<Kept>().AddQuorumStore(GeoStorage.Quorum, ["us"], _ => _disks["us"])
                .AddStore(GeoStorage.Default, _ => journal)
                .Configure(silo => silo.DeactivationTimeout = TimeSpan.FromMinutes(1)));
        var grain = us.Grains.GetGrain<IKept>("a");
        await Eventually.AnsweredAsync(() => grain.Add(1));
        journal.IsSilent = true;
        var waiting = grain.Add(2);
        await Eventually.HoldsAsync(() => journal.AskedInSilence > 0, "the write is on its way");

        await LoseLeaseAsync(us.Silo.FindStore(GeoStorage.Quorum), "us");
        var error = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(
            () => waiting.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken));
        Assert.Contains("lost its lease", error.Message, StringComparison.Ordinal);
        journal.Recover();
        Assert.InRange(await Eventually.AnsweredAsync(() => grain.Add(3)), 2, 3);
    }

    [Fact]
    public async Task Calls_go_on_to_where_a_grain_is_while_the_instance_that_lost_it_has_not_ended()
    {
        await using var us = await StartStuckAsync("us", ("eu", null));
        await using var eu = await StartStuckAsync("eu", ("us", us.Address));
        await us.LinkedAsync("eu");
        await eu.LinkedAsync("us");
        var grain = us.Grains.GetGrain<IStuck>("a");
        var here = await Eventually.AnsweredAsync(grain.Where);
        var turn = new TaskCompletionSource();
        Stuck.Turn = turn.Task;
        var waiting = grain.Wait();
        await LoseLeaseAsync(us.Silo.FindStore(GeoStorage.Quorum), "us");
        var there = await Eventually.AnsweredAsync(eu.Grains.GetGrain<IStuck>("a").Where);
        Assert.NotEqual(here, there);

        // One that came before us knew waits for the turn, as it was accepted.
        await Eventually.HoldsAsync(
            async () =>
            {
                try
                {
                    return await grain.Where().WaitAsync(TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken) == there;
                }
                catch (TimeoutException)
                {
                    return false;
                }
            },
            "calls of us go to eu");
        Assert.False(waiting.IsCompleted);
        turn.SetResult();
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => waiting);

        Task<TestSilo> StartStuckAsync(string cluster, params (string Name, string? Address)[] others) => TestSilo.StartAsync(
            cluster,
            geo => geo.AddGrain<Stuck>().AddQuorumStore(GeoStorage.Quorum, ["us", "eu"], _ => _disks[cluster])
                .Configure(silo => silo.DeactivationTimeout = TimeSpan.FromMinutes(5)),
            others);
    }

    [Fact]
    public async Task Without_a_store_by_majority_no_silo_starts()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync("us", geo => geo.AddGrain<Owned>()));
        Assert.Contains("AddQuorumStore(\"Quorum\"", refused.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(Owned), refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lease_that_may_be_held_longer_than_a_forced_removal_waits_is_refused()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync(
            "us",
            geo => geo.AddGrain<Owned>().AddQuorumStore(GeoStorage.Quorum, ["us"], _ => _disks["us"])
                .Configure(silo => silo.Quorum = silo.Quorum with { LeaseDuration = TimeSpan.FromSeconds(10) })));
        Assert.Contains(nameof(QuorumStoreOptions.ForcedWait), refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_single_instance_has_an_epoch_and_no_other_grain()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Sole>().AddGrain<Unowned>());
        var single = us.Grains.GetGrain<IOwned>("a");
        var first = await single.Epoch();
        Assert.Equal(first, await single.Epoch());
        await single.Where();
        Assert.True(await single.Epoch() > first);
        await Assert.ThrowsAsync<InvalidOperationException>(() => us.Grains.GetGrain<IUnowned>("a").Epoch());
    }

    private Task<TestSilo> StartAsync(string cluster, params (string Name, string? Address)[] others) => TestSilo.StartAsync(
        cluster, geo => geo.AddGrain<Owned>().AddQuorumStore(GeoStorage.Quorum, Clusters, _ => _disks[cluster]), others);

    /// <summary>Somebody fences the lease of a cluster's silo off.</summary>
    private static async Task LoseLeaseAsync(IConditionalStore store, string cluster)
    {
        await foreach (var lease in store.ListAsync(LeaseRow.KeyOf(cluster), TestContext.Current.CancellationToken))
        {
            var fence = new LeaseRow { IsFenced = true, Duration = TimeSpan.FromTicks(1) }.Encode();
            await Eventually.HoldsAsync(
                async () =>
                {
                    var read = await store.ReadAsync(lease.Key, TestContext.Current.CancellationToken);
                    var write = await store.WriteAsync(lease.Key, fence, read.ETag, TestContext.Current.CancellationToken);
                    return write.Outcome == StoreWriteOutcome.Applied;
                },
                "the lease is lost");
        }
    }

    private Task<TestSilo> StartPairAsync(string cluster, (string Name, string? Address) other) => TestSilo.StartAsync(
        cluster, geo => geo.AddGrain<Owned>().AddQuorumStore(GeoStorage.Quorum, ["us", "eu"], _ => _disks[cluster]), [other]);

    private Task<TestSilo> StartLiveAsync(
        IConditionalStore configuration, string cluster, params (string Name, string? Address)[] others) => TestSilo.StartAsync(
        cluster,
        geo => geo.AddGrain<Owned>().AddQuorumStore(GeoStorage.Quorum, Clusters, _ => _disks[cluster])
            .AddStore("configuration", _ => configuration).Configure(o => o.ConfigurationStore = "configuration"),
        others);

    /// <summary>Keeps all that the clusters share in what is us's alone at first.</summary>
    private Task<TestSilo> GrowAsync(string cluster, params (string Name, string? Address)[] others) => TestSilo.StartAsync(
        cluster,
        geo => geo.AddGrain<Owned>().AddQuorumStore(GeoStorage.Quorum, ["us"], _ => _disks[cluster])
            .Configure(o => o.ConfigurationStore = GeoStorage.Quorum),
        others);

    public interface IStuck : IGrainWithStringKey
    {
        Task<string> Where();

        Task Wait();
    }

    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    public sealed class Stuck : Grain, IStuck
    {
        public static Task Turn { get; set; } = Task.CompletedTask;

        public Task<string> Where() => Task.FromResult(RuntimeIdentity);

        public Task Wait() => Turn;
    }

    public interface IKept : IGrainWithStringKey
    {
        Task<long> Add(long entry);
    }

    public sealed record Entry(long Number);

    public sealed class Entries
    {
        public List<long> All { get; set; } = [];
    }

    [GlobalSingleInstance(SingleInstanceMode.Quorum), BatchedCas]
    public sealed class Kept : JournaledGrain<Entries, Entry>, IKept
    {
        public async Task<long> Add(long entry)
        {
            RaiseEvent(new Entry(entry));
            await ConfirmEvents();
            return State.All.Count;
        }

        protected override void TransitionState(Entries state, Entry raised) => state.All.Add(raised.Number);
    }

    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    public sealed class Owned : Grain, IOwned
    {
        public Task<long> Epoch() => Task.FromResult(this.GetTenancyEpoch());

        public Task<string> Where() => Task.FromResult(RuntimeIdentity);
    }

    [GlobalSingleInstance]
    public sealed class Sole : Grain, IOwned
    {
        public Task<long> Epoch() => Task.FromResult(this.GetTenancyEpoch());

        public Task<string> Where()
        {
            DeactivateOnIdle();
            return Task.FromResult(RuntimeIdentity);
        }
    }

    public sealed class Unowned : Grain, IUnowned
    {
        public Task<long> Epoch() => Task.FromResult(this.GetTenancyEpoch());
    }
}
