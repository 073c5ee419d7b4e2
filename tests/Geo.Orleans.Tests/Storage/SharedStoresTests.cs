using System.Net;
using Geo.Consistency.Lattices;
using Geo.Directory;
using Geo.Orleans.Tests.Features;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Configuration;
using Orleans.EventSourcing;
using Orleans.Runtime.Hosting;

namespace Geo.Orleans.Tests.Storage;

/// <summary>Clusters of real silos do not work together over stores that do not fit.</summary>
public sealed class SharedStoresTests
{
    public static TheoryData<Type, string?> Classes => new()
    {
        { typeof(Tally), GeoStorage.Default },
        { typeof(Ledger), GeoStorage.Default },
        { typeof(Led), null },
        { typeof(Spot), null },
        { typeof(Box<>), null },
        { typeof(ByName), null },
    };

    [Theory]
    [MemberData(nameof(Classes))]
    public void A_store_is_shared_where_instances_in_several_clusters_keep_versions_in_it(Type grainClass, string? store) =>
        Assert.Equal(store, SharedStores.NameFor(grainClass));

    [Fact]
    public async Task A_silo_with_a_store_of_versions_of_its_own_does_not_start_beside_another_cluster()
    {
        await using var eu = await StartAsync("eu", [], geo => geo.AddStore(GeoStorage.Default, _ => new InMemoryConditionalStore()));

        var refused = await RefusedAsync("us", eu, geo => geo.AddStore(GeoStorage.Default, _ => new InMemoryConditionalStore()));

        Assert.Contains("the store 'Default' of cluster 'eu'", refused, StringComparison.Ordinal);
        Assert.False(eu.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId("us")));
    }

    [Fact]
    public async Task A_grain_storage_that_is_declared_as_shared_and_is_not_is_found_out()
    {
        await using var eu = await StartAsync("eu", [], Declared);

        var refused = await RefusedAsync("us", eu, Declared);

        Assert.Contains("the store 'grain storage declared' of cluster 'eu'", refused, StringComparison.Ordinal);

        static void Declared(GeoSiloBuilder geo) => geo
            .DeclareSharedGrainStorage(FeatureClusters.DeclaredStorage)
            .Services.AddGrainStorage(FeatureClusters.DeclaredStorage, (_, _) => new OneDatabase());
    }

    [Fact]
    public async Task The_store_of_a_shared_grain_storage_is_compared()
    {
        await using var eu = await StartAsync("eu", [], Shared);

        var refused = await RefusedAsync("us", eu, Shared);

        Assert.Contains("the store 'states' of cluster 'eu'", refused, StringComparison.Ordinal);

        static void Shared(GeoSiloBuilder geo) => geo
            .AddStore("states", _ => new InMemoryConditionalStore()).AddSharedGrainStorage(FeatureClusters.SharedStorage, "states");
    }

    [Fact]
    public async Task A_shared_grain_storage_may_lie_over_a_store_that_the_clusters_keep_together()
    {
        await using var eu = await StartAsync("eu", [], Together);
        await using var us = await StartAsync("us", [eu], Together);

        Assert.True(us.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId("eu")));

        static void Together(GeoSiloBuilder geo) => geo
            .AddQuorumStore("states", ["eu", "us"], _ => new InMemoryConditionalStore())
            .AddSharedGrainStorage(FeatureClusters.SharedStorage, "states");
    }

    [Fact]
    public async Task A_store_over_grain_storage_in_a_clusters_memory_is_refused_beside_other_clusters()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => StartAsync("eu", [], geo => geo.AddGrainStorageStore(GeoStorage.Default, "memory")));

        Assert.Contains("the store 'Default', which is over a grain storage in the memory", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_clusters_over_one_row_store_do_not_start_beside_each_other()
    {
        var rows = new InMemoryConditionalStore();
        await using var eu = await StartAsync("eu", [], geo => geo.UseRowStore(_ => rows));

        var refused = await RefusedAsync("us", eu, geo => geo.UseRowStore(_ => rows));

        Assert.Contains("clusters 'eu' and 'us' keep their directories' rows in one store", refused, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_that_is_shared_links_the_clusters_and_unshared_ones_are_allowed_by_name()
    {
        var shared = new InMemoryConditionalStore();
        await using (var eu = await StartAsync("eu", [], geo => geo.AddStore(GeoStorage.Default, _ => shared)))
        {
            await using var us = await StartAsync("us", [eu], geo => geo.AddStore(GeoStorage.Default, _ => shared));
            Assert.True(us.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId("eu")));
        }

        await using (var eu = await StartAsync("eu", [], Unshared))
        {
            await using var us = await StartAsync("us", [eu], Unshared);
            Assert.True(us.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId("eu")));
        }

        static void Unshared(GeoSiloBuilder geo) => geo
            .AddStore(GeoStorage.Default, _ => new InMemoryConditionalStore()).Configure(options => options.AllowUnsharedStores = true);
    }

    [Fact]
    public async Task Silos_whose_owners_stand_in_different_stores_do_not_start_beside_each_other()
    {
        await using var eu = await StartAsync("eu", [], geo => Owning(geo, typeof(OwnedByMajority), "first"));

        var refused = await RefusedAsync("us", eu, geo => Owning(geo, typeof(OwnedByMajority), "second"));

        Assert.Contains("SingleInstanceMode.Quorum is not the same in cluster 'eu'", refused, StringComparison.Ordinal);
        Assert.False(eu.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId("us")));
    }

    [Fact]
    public async Task Silos_of_which_one_has_a_class_in_another_mode_do_not_start_beside_each_other()
    {
        await using var eu = await StartAsync("eu", [], geo => Owning(geo, typeof(OwnedByMajority), "first"));

        var refused = await RefusedAsync("us", eu, geo => Owning(geo, typeof(OwnedInRounds), "first"));

        Assert.Contains(
            "the grain class 'moded' has SingleInstanceMode.Quorum in cluster 'eu' and another mode in cluster 'us'", refused,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Silos_of_which_one_has_a_class_in_some_clusters_and_one_in_all_do_not_start_beside_each_other()
    {
        await using var eu = await StartAsync("eu", [], geo => Serving(geo, typeof(InAll)));

        var refused = await RefusedAsync("us", eu, geo => Serving(geo, typeof(InSome)));

        Assert.Contains(
            "the grain class 'spread' has replicas in some clusters ([CoordinationFree(Replicas = ...)]) in cluster 'us', and in all in "
                + "cluster 'eu'",
            refused, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Silos_of_which_one_confirms_a_class_by_another_rule_do_not_start_beside_each_other()
    {
        await using var eu = await StartAsync("eu", [], geo => Serving(geo, typeof(ConfirmedByMajority)));

        var refused = await RefusedAsync("us", eu, geo => Serving(geo, typeof(ConfirmedByLeader)));

        Assert.Contains(
            "the grain class 'confirmed' has UpdateConfirmation.Replicated in cluster 'eu' and UpdateConfirmation.Leader in cluster 'us'",
            refused, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_of_owners_in_memory_is_refused_beside_other_clusters_whatever_is_allowed()
    {
        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync("eu", [], geo =>
        {
            geo.AddStore(GeoStorage.Quorum, _ => new InMemoryConditionalStore()).Configure(options => options.AllowUnsharedStores = true);
            geo.Services.Configure<GrainTypeOptions>(types => types.Classes.Add(typeof(OwnedByMajority)));
        }));

        Assert.Contains("AddQuorumStore(\"Quorum\"", refused.Message, StringComparison.Ordinal);
    }

    private static void Owning(GeoSiloBuilder geo, Type grainClass, string store)
    {
        geo.AddQuorumStore(store, ["eu", "us"], _ => new InMemoryConditionalStore())
            .ConfigureQuorum(new QuorumDirectoryOptions { Store = store });
        Serving(geo, grainClass);
    }

    private static void Serving(GeoSiloBuilder geo, Type grainClass) =>
        geo.Services.Configure<GrainTypeOptions>(types => types.Classes.Add(grainClass));

    private static async Task<string> RefusedAsync(string cluster, GeoTestSilo beside, Action<GeoSiloBuilder> configure) =>
        (await Assert.ThrowsAsync<GeoConfigurationException>(() => StartAsync(cluster, [beside], configure))).Message;

    private static Task<GeoTestSilo> StartAsync(string cluster, IReadOnlyList<GeoTestSilo> entries, Action<GeoSiloBuilder> configure)
    {
        var ports = FreePorts.Take(2);
        return GeoTestSilo.StartAsync(new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), cluster, silo =>
        {
            silo.AddMemoryGrainStorage("memory");
            silo.UseGeo(geo =>
            {
                geo.UseRowStore(_ => new InMemoryConditionalStore()).Configure(options =>
                {
                    (options.ClusterId, options.ListenOn) = (cluster, "127.0.0.1:0");
                    options.Clusters[cluster == "eu" ? "us" : "eu"] =
                        [.. entries.Select(entry => entry.Services.GetRequiredService<IGeoSilo>().ListeningOn!.ToString())];
                });
                configure(geo);
            });
        });
    }

    /// <summary>A class, as one build has it; private, so that only the silos of these tests serve it.</summary>
    [GrainType("moded")]
    [GlobalSingleInstance]
    private sealed class OwnedInRounds : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult("here");
    }

    /// <summary>The same class, as the next build has it.</summary>
    [GrainType("moded")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class OwnedByMajority : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult("here");
    }

    /// <summary>A class, as one build has it.</summary>
    [GrainType("spread")]
    [CoordinationFree]
    private sealed class InAll : LatticeGrain<PnCounter>, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult("here");
    }

    /// <summary>The same class, as the next build has it.</summary>
    [GrainType("spread")]
    [CoordinationFree(Replicas = 1)]
    private sealed class InSome : LatticeGrain<PnCounter>, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult("here");
    }

    /// <summary>A class, as one build has it.</summary>
    [GrainType("confirmed")]
    [OneInstancePerCluster, VersionedLeader(Confirmation = UpdateConfirmation.Leader)]
    private sealed class ConfirmedByLeader : JournaledGrain<TallyState, Added>, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult("here");
    }

    /// <summary>The same class, as the next build has it.</summary>
    [GrainType("confirmed")]
    [OneInstancePerCluster, VersionedLeader(Confirmation = UpdateConfirmation.Replicated)]
    private sealed class ConfirmedByMajority : JournaledGrain<TallyState, Added>, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult("here");
    }
}
