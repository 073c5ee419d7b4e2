using System.Diagnostics.Metrics;
using Geo.Messaging;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

[GlobalSingleInstance]
public sealed class LedgerGrain : Grain<LedgerState>, ICounter
{
    public async Task<int> Add(int amount)
    {
        State.Sum += amount;
        await WriteStateAsync();
        return State.Sum;
    }

    public Task<string> Where() => Task.FromResult(RuntimeIdentity.Split('/')[0]);
}

public sealed class LedgerState
{
    public int Sum { get; set; }
}

/// <summary>
/// Storage that has to be shared and is not goes unnoticed nowhere: numbers of a grain that moves would begin again at 1.
/// </summary>
public sealed class SharedStoresTests
{
    private static readonly (string, string?)[] DialledByEu = [("eu", null)];

    [Theory]
    [InlineData(typeof(LedgerGrain))]
    [InlineData(typeof(SharedStockGrain))]
    [InlineData(typeof(SingleStoredStockGrain))]
    public async Task The_default_store_in_memory_is_refused_beside_other_clusters(Type grainClass)
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => TestSilo.StartAsync("us", geo => geo.Grains.Add(grainClass), DialledByEu));

        Assert.Contains(grainClass.FullName!, refused.Message, StringComparison.Ordinal);
        Assert.Contains("AddStore(\"Default\"", refused.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(GeoEmbeddedOptions.AllowUnsharedStores), refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_default_store_in_memory_serves_one_cluster_and_grains_that_keep_nothing_in_it()
    {
        await using var alone = await TestSilo.StartAsync("us", geo => geo.AddGrain<LedgerGrain>());
        await using var beside = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<SingleCounterGrain>().AddGrain<VolatileStockGrain>().AddGrain<StoredStockGrain>(), DialledByEu);
    }

    [Fact]
    public async Task Clusters_with_a_store_each_do_not_start_beside_each_other()
    {
        await using var us = await StartAsync("us", new InMemoryConditionalStore(), DialledByEu);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => StartAsync("eu", new InMemoryConditionalStore(), [("us", us.Address)]));

        Assert.Contains("the store 'Default' of cluster 'eu'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("give all clusters one store of that name", refused.Message, StringComparison.Ordinal);
        Assert.False(us.Silo.IsLinkedTo(new ClusterId("eu")));
    }

    [Fact]
    public async Task A_cluster_with_a_store_of_its_own_that_is_found_later_is_refused_counted_and_served_nothing()
    {
        await using var us = await StartAsync("us", new InMemoryConditionalStore(), DialledByEu);
        await using var eu = await StartAsync("eu", new InMemoryConditionalStore(), [("us", null)]);
        using var refusals = new UnfitCount();

        eu.Services.GetRequiredService<GeoSilo>().Dial(PeerAddress.Parse(us.Address));
        await Eventually.HoldsAsync(() => refusals.Count >= 2, "both ends have counted the refusal");

        Assert.False(us.Silo.IsLinkedTo(new ClusterId("eu")));
        Assert.False(eu.Silo.IsLinkedTo(new ClusterId("us")));
    }

    [Fact]
    public async Task A_cluster_does_not_start_beside_one_that_does_not_name_it()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<SingleCounterGrain>());

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => TestSilo.StartAsync("eu", geo => geo.AddGrain<SingleCounterGrain>(), [("us", us.Address)]));

        Assert.Contains("cluster 'us' does not name cluster 'eu'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cluster_starts_beside_one_that_fits_though_another_does_not()
    {
        var shared = new InMemoryConditionalStore();
        await using var stray = await StartAsync("asia", new InMemoryConditionalStore(), [("us", null), ("eu", null)]);
        await using var us = await StartAsync("us", shared, [("eu", null), ("asia", null)]);

        await using var eu = await StartAsync("eu", shared, [("us", us.Address), ("asia", stray.Address)]);

        Assert.True(eu.Silo.IsLinkedTo(new ClusterId("us")));
        Assert.False(eu.Silo.IsLinkedTo(new ClusterId("asia")));
    }

    [Fact]
    public async Task Clusters_that_share_a_store_are_linked_and_a_grain_keeps_its_numbers_when_its_cluster_dies()
    {
        var shared = new InMemoryConditionalStore();
        await using var us = await StartAsync("us", shared, DialledByEu);
        await using (var eu = await StartAsync("eu", shared, [("us", us.Address)]))
        {
            Assert.True(eu.Silo.IsLinkedTo(new ClusterId("us")));
            Assert.Equal(7, await eu.Grains.GetGrain<ICounter>("moves").Add(7));
        }

        Assert.Equal(8, await us.Grains.GetGrain<ICounter>("moves").Add(1));
    }

    [Fact]
    public async Task Unshared_stores_are_allowed_by_name_in_all_clusters()
    {
        await using var us = await TestSilo.StartAsync("us", Unshared, DialledByEu);
        await using var eu = await TestSilo.StartAsync("eu", Unshared, [("us", us.Address)]);

        Assert.True(eu.Silo.IsLinkedTo(new ClusterId("us")));
        await Assert.ThrowsAsync<GeoConfigurationException>(
            () => StartAsync("asia", new InMemoryConditionalStore(), [("us", us.Address), ("eu", eu.Address)]));

        static void Unshared(GeoEmbeddedBuilder geo) => geo.AddGrain<LedgerGrain>().Configure(o => o.AllowUnsharedStores = true);
    }

    [Fact]
    public async Task A_store_that_only_grains_of_one_cluster_use_need_not_be_shared()
    {
        await using var us = await TestSilo.StartAsync("us", Local, DialledByEu);
        await using var eu = await TestSilo.StartAsync("eu", Local, [("us", us.Address)]);

        Assert.True(eu.Silo.IsLinkedTo(new ClusterId("us")));

        static void Local(GeoEmbeddedBuilder geo) =>
            geo.AddGrain<StoredStockGrain>().AddStore("Default", _ => new InMemoryConditionalStore());
    }

    [Fact]
    public async Task A_shared_store_that_does_not_answer_ends_the_start_in_bounded_time()
    {
        var refused = await Assert.ThrowsAsync<GeoUnavailableException>(
            () => StartAsync("us", new SilentStore { HangsInSilence = true }, DialledByEu));

        Assert.Contains("the store 'Default'", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>A majority of each of two stores would have each grain owned once in each.</summary>
    [Fact]
    public async Task Clusters_whose_owners_stand_in_stores_of_different_names_do_not_start_beside_each_other()
    {
        await using var us = await StartOwningAsync("us", typeof(OwnedByMajority), "first", DialledByEu);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => StartOwningAsync("eu", typeof(OwnedByMajority), "second", [("us", us.Address)]));

        Assert.Contains("SingleInstanceMode.Quorum is not the same in cluster 'eu'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Geo:Quorum:Store", refused.Message, StringComparison.Ordinal);
        Assert.False(us.Silo.IsLinkedTo(new ClusterId("eu")));
    }

    [Fact]
    public async Task Clusters_of_which_one_has_a_class_in_another_mode_do_not_start_beside_each_other()
    {
        await using var us = await StartOwningAsync("us", typeof(OwnedInRounds), "first", DialledByEu);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => StartOwningAsync("eu", typeof(OwnedByMajority), "first", [("us", us.Address)]));

        Assert.Contains(
            "the grain class 'moded' has SingleInstanceMode.Quorum in cluster 'eu' and another mode in cluster 'us'", refused.Message,
            StringComparison.Ordinal);
        Assert.False(us.Silo.IsLinkedTo(new ClusterId("eu")));
    }

    /// <summary>One leader would confirm alone what another, which a majority follows, does not know.</summary>
    [Fact]
    public async Task Clusters_of_which_one_confirms_a_class_by_another_rule_do_not_start_beside_each_other()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<ConfirmedByLeader>(), DialledByEu);

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => TestSilo.StartAsync("eu", geo => geo.AddGrain<ConfirmedByMajority>(), [("us", us.Address)]));

        Assert.Contains(
            "the grain class 'confirmed' has UpdateConfirmation.Replicated in cluster 'eu' and UpdateConfirmation.Leader in cluster 'us'",
            refused.Message, StringComparison.Ordinal);
        Assert.Contains("give the class another name ([GrainType]), or stop all silos", refused.Message, StringComparison.Ordinal);
        Assert.False(us.Silo.IsLinkedTo(new ClusterId("eu")));
    }

    [Theory]
    [InlineData(GeoStorage.Default)]
    [InlineData("owners")]
    public async Task A_store_of_owners_in_memory_is_refused_beside_other_clusters_whatever_is_allowed(string name)
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync("us", InMemory, DialledByEu));

        Assert.Contains(nameof(OwnedByMajority), refused.Message, StringComparison.Ordinal);
        Assert.Contains($"AddQuorumStore(\"{name}\"", refused.Message, StringComparison.Ordinal);
        await using var alone = await TestSilo.StartAsync("us", InMemory);

        void InMemory(GeoEmbeddedBuilder geo)
        {
            geo.AddGrain<OwnedByMajority>().Configure(
                o => (o.AllowUnsharedStores, o.Quorum) = (true, o.Quorum with { Store = name }));
            if (name != GeoStorage.Default)
            {
                geo.AddStore(name, _ => new InMemoryConditionalStore());
            }
        }
    }

    private static Task<TestSilo> StartOwningAsync(string cluster, Type grainClass, string store, (string, string?)[] others) =>
        TestSilo.StartAsync(
            cluster,
            geo =>
            {
                geo.Grains.Add(grainClass);
                geo.AddQuorumStore(store, ["eu", "us"], _ => new InMemoryConditionalStore())
                    .Configure(o => o.Quorum = o.Quorum with { Store = store });
            },
            others);

    private static Task<TestSilo> StartAsync(
        string cluster, IConditionalStore store, (string, string?)[] others) =>
        TestSilo.StartAsync(
            cluster,
            geo => geo.AddGrain<LedgerGrain>().AddStore(GeoStorage.Default, _ => store)
                .Configure(o => o.StoreCheckTimeout = TimeSpan.FromSeconds(1)),
            others);

    /// <summary>A class, as one build has it.</summary>
    [GrainType("moded")]
    [GlobalSingleInstance]
    public sealed class OwnedInRounds : Grain, ICounter
    {
        public Task<int> Add(int amount) => Task.FromResult(amount);

        public Task<string> Where() => Task.FromResult(RuntimeIdentity);
    }

    /// <summary>The same class, as the next build has it.</summary>
    [GrainType("moded")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    public sealed class OwnedByMajority : Grain, ICounter
    {
        public Task<int> Add(int amount) => Task.FromResult(amount);

        public Task<string> Where() => Task.FromResult(RuntimeIdentity);
    }

    /// <summary>A class, as one build has it.</summary>
    [GrainType("confirmed"), OneInstancePerCluster, VersionedLeader(Confirmation = UpdateConfirmation.Leader)]
    public sealed class ConfirmedByLeader : StockGrain;

    /// <summary>The same class, as the next build has it.</summary>
    [GrainType("confirmed"), OneInstancePerCluster, VersionedLeader(Confirmation = UpdateConfirmation.Replicated)]
    public sealed class ConfirmedByMajority : StockGrain;

    /// <summary>Counts the handshakes that were refused because stores do not fit.</summary>
    private sealed class UnfitCount : IDisposable
    {
        private readonly MeterListener _listener = new();
        private long _count;

        public UnfitCount()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "geo.messaging.refusals")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
            {
                if (tags.ToArray().Any(tag => tag is { Key: "geo.reason", Value: nameof(RefusalReason.Unfit) }))
                {
                    Interlocked.Add(ref _count, count);
                }
            });
            _listener.Start();
        }

        public long Count => Interlocked.Read(ref _count);

        public void Dispose() => _listener.Dispose();
    }
}
