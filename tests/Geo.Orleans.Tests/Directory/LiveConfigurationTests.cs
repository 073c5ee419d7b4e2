using System.Collections.Concurrent;
using System.Net;
using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

public sealed class LiveConfigurationTests
{
    private static readonly ClusterId Asia = new("asia");
    private static readonly string[] Names = ["asia", "eu", "us"];

    [Theory]
    [InlineData(GeoStorage.Default)]
    [InlineData(GeoStorage.Quorum)]
    public async Task A_region_is_drained_under_load_and_comes_back_while_all_silos_run(string store)
    {
        var cancel = TestContext.Current.CancellationToken;
        await using var clusters = await StartAsync(store);
        var keys = Enumerable.Range(0, 20).Select(i => $"live-{i}").ToArray();
        foreach (var key in keys)
        {
            await clusters.Grains("asia").GetGrain<ISpot>(key).Where();
            Assert.Equal("asia", await Eventually.Succeeds(Owned(clusters.Grains("asia"), key).Where));
        }

        var configuration = SiloIn(clusters, "us").Configuration!;

        // All clusters go on calling, the one that is drained too, until it is outside: nobody notices.
        using var drained = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        IEnumerable<string> all = ["asia", "eu", "us"];
        var calls = all.SelectMany(cluster => clusters.SilosOf(cluster).Select(silo =>
            CallAsync(silo.Grains, keys, cluster == "asia" ? IsOutsideAsync : () => Task.FromResult(false), drained.Token))).ToArray();
        await ChangeAsync(() => configuration.RemoveAsync(Asia, cancel));
        await UntilAsync(configuration, Asia, "outside", cancel);
        await drained.CancelAsync();
        Assert.All(await Task.WhenAll(calls), answered => Assert.NotEqual(0, answered));
        Assert.Empty(await clusters.RowsOf("asia").ListAsync(GlobalDirectory.RowPrefix, cancel).ToListAsync(cancel));
        foreach (var key in keys)
        {
            Assert.DoesNotContain("asia", (await clusters.Grains("us").GetGrain<ISpot>(key).Where()).Cluster, StringComparison.Ordinal);
            Assert.NotEqual("asia", await Owned(clusters.Grains("us"), key).Where());
        }

        await ChangeAsync(() => configuration.AddAsync(Asia, [], cancel));
        await UntilAsync(configuration, Asia, "member", cancel);
        Assert.Contains("asia", (await clusters.Grains("asia").GetGrain<ISpot>("live-new").Where()).Cluster, StringComparison.Ordinal);
        Assert.Equal("asia", await Owned(clusters.Grains("asia"), "live-new").Where());

        async Task<bool> IsOutsideAsync() =>
            (await configuration.DescribeAsync(cancel)).Clusters.First(cluster => cluster.Cluster == Asia).Stage == "outside";
    }

    /// <summary>
    /// Nobody told the callers, and nobody can any more: what they remember of the grain is of before its region left.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_grain_begins_anew_where_its_region_has_left_and_is_gone(bool isFromClient)
    {
        var cancel = TestContext.Current.CancellationToken;
        await using var clusters = await StartAsync();
        var grains = isFromClient ? await clusters.ConnectAsync("eu", useGeo: true) : clusters.Grains("eu");
        Assert.Equal("asia", (await clusters.Grains("asia").GetGrain<ISpot>("idle").Where()).Cluster);
        Assert.Equal("asia", (await grains.GetGrain<ISpot>("idle").Where()).Cluster);
        Assert.Equal("asia", await clusters.Grains("asia").GetGrain<IStrictSpot>("idle").Where());
        Assert.Equal("asia", await grains.GetGrain<IStrictSpot>("idle").Where());
        Assert.Equal("asia", await Eventually.Succeeds(Owned(clusters.Grains("asia"), "idle").Where));
        Assert.Equal("asia", await Owned(grains, "idle").Where());
        var configuration = SiloIn(clusters, "us").Configuration!;
        await ChangeAsync(() => configuration.RemoveAsync(Asia, cancel));
        await UntilAsync(configuration, Asia, "outside", cancel);
        await clusters.KillAsync("asia");
        await Eventually.Succeeds(() => SiloIn(clusters, "eu").IsLinkedTo(Asia)
            ? Task.FromException<bool>(new GeoUnavailableException("eu is linked to asia still"))
            : Task.FromResult(true));

        Assert.Equal("eu", (await grains.GetGrain<ISpot>("idle").Where()).Cluster);
        Assert.Equal("eu", await grains.GetGrain<IStrictSpot>("idle").Where());
        Assert.Equal("eu", await Owned(grains, "idle").Where());
    }

    [Theory]
    [InlineData(GeoStorage.Default)]
    [InlineData(GeoStorage.Quorum)]
    public async Task A_region_that_is_lost_is_taken_out_by_force_and_what_it_had_begins_elsewhere_and_it_may_come_back(string store)
    {
        var cancel = TestContext.Current.CancellationToken;
        await using var clusters = await StartAsync(GeoTestClusterOptions.Impatient, store);
        var (asia, eu) = (clusters.Grains("asia"), clusters.Grains("eu"));
        Assert.Equal("asia", (await asia.GetGrain<ISpot>("lost").Where()).Cluster);
        Assert.Equal("asia", await asia.GetGrain<IStrictSpot>("lost").Where());
        Assert.Equal("asia", await Eventually.Succeeds(Owned(asia, "lost").Where));
        await clusters.KillAsync("asia");
        await Eventually.Is(false, () => Task.FromResult(SiloIn(clusters, "eu").IsLinkedTo(Asia)));

        // By majority it is missed already; what was written in rounds waits for it, a pessimistic grain for good.
        Assert.Equal("eu", await Eventually.Succeeds(Owned(eu, "lost").Where));
        await Assert.ThrowsAsync<GeoUnavailableException>(eu.GetGrain<IStrictSpot>("lost").Where);
        var configuration = SiloIn(clusters, "us").Configuration!;
        await ChangeAsync(() => configuration.ForceRemoveAsync([Asia], cancel));
        await UntilAsync(configuration, Asia, "outside", cancel);
        Assert.Equal("eu", await Eventually.Succeeds(eu.GetGrain<IStrictSpot>("lost").Where));
        Assert.Equal("eu", (await Eventually.Succeeds(eu.GetGrain<ISpot>("lost").Where)).Cluster);

        // It comes back with the rows that it was lost with.
        await clusters.RestartAsync("asia");
        await ChangeAsync(() => configuration.AddAsync(Asia, [], cancel));
        await UntilAsync(configuration, Asia, "member", cancel);
        asia = clusters.Grains("asia");
        Assert.Equal("eu", await Eventually.Succeeds(asia.GetGrain<IStrictSpot>("lost").Where));
        Assert.Equal("eu", (await Eventually.Succeeds(asia.GetGrain<ISpot>("lost").Where)).Cluster);
        Assert.Equal("eu", await Eventually.Succeeds(Owned(asia, "lost").Where));
        Assert.Equal("asia", await Eventually.Succeeds(asia.GetGrain<IStrictSpot>("of its own").Where));
    }

    [Fact]
    public async Task A_region_that_is_reached_elsewhere_is_dialled_there_while_all_silos_run()
    {
        var cancel = TestContext.Current.CancellationToken;
        await using var clusters = await StartAsync(GeoTestClusterOptions.Impatient);
        var (eu, us) = (SiloIn(clusters, "eu"), SiloIn(clusters, "us"));
        Assert.Equal("us", await clusters.Grains("us").GetGrain<IStrictSpot>("a").Where());
        clusters.Cut();
        await Eventually.Is(false, () => Task.FromResult(eu.IsLinkedTo(us.Cluster) || us.IsLinkedTo(eu.Cluster)));

        await using var moved = DelayedLink.Start(new() { Target = IPEndPoint.Parse($"{us.ListeningOn}") });
        await ChangeAsync(() => us.Configuration!.ReachAsync(us.Cluster, [$"{moved.ListeningOn}"], cancel));
        await Eventually.Is(true, () => Task.FromResult(eu.IsLinkedTo(us.Cluster) && us.IsLinkedTo(eu.Cluster)));
        Assert.Equal("us", await Eventually.Succeeds(clusters.Grains("eu").GetGrain<IStrictSpot>("a").Where));
        Assert.NotEqual(0, moved.Connections);
    }

    [Fact]
    public async Task A_store_over_a_grain_storage_starts_too_late_for_a_configuration_that_is_read_over_the_links()
    {
        var ports = FreePorts.Take(2);
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => GeoTestSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo =>
            {
                silo.AddMemoryGrainStorage("memory").UseGeo(geo => geo
                    .UseRowStore(_ => new InMemoryConditionalStore()).AddGrainStorageStore(GeoStorage.Default, "memory")
                    .AddQuorumStore(GeoStorage.Quorum, ["eu"], _ => new InMemoryConditionalStore())
                    .Configure(options => (options.ClusterId, options.ConfigurationStore, options.AllowUnsharedStores)
                        = ("eu", GeoStorage.Quorum, true)));
                WithoutMemories(silo.Services);
            }));
        Assert.Contains($"one of which store '{GeoStorage.Default}' is over", error.Message, StringComparison.Ordinal);
    }

    private static Task<GeoTestCluster> StartAsync(string store = GeoStorage.Default) => StartAsync(new()
    {
        SilosIn = new Dictionary<string, int> { ["asia"] = 2 },
        LeaseDuration = TimeSpan.FromSeconds(3),
        Directory = options => options with
        {
            // What takes a grain from the cluster that leaves is only slow where this process is, and not gone.
            RequestTimeout = TimeSpan.FromSeconds(10),
            RoundLifetime = TimeSpan.FromSeconds(30),
        },
    }, store);

    private static Task<GeoTestCluster> StartAsync(GeoTestClusterOptions options, string store = GeoStorage.Default)
    {
        var disks = new ConcurrentDictionary<string, InMemoryConditionalStore>();
        return GeoTestCluster.StartAsync(options with
        {
            Clusters = Names,
            Settings = settings => settings.ConfigurationStore = store,
            Directory = directory => options.Directory(directory) with { ConfigurationRefresh = TimeSpan.FromMilliseconds(200) },
            Silo = silo => silo.Configure<GrainTypeOptions>(types => types.Classes.Add(typeof(ByMajority))),
            Geo = geo => geo.AddQuorumStore(GeoStorage.Quorum, Names, services => disks.GetOrAdd(
                services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
            Services = WithoutMemories,
        });
    }

    // What is in the memory of all clusters does not follow yet.
    private static void WithoutMemories(IServiceCollection services) => services.PostConfigure<GrainTypeOptions>(
        types => types.Classes.RemoveWhere(type => GrainDeclaration.Of(type, GlobalSingleProperties.IsVersioned(type)).Protocol
            is ViewProtocol.VersionedLeader or ViewProtocol.CoordinationFree));

    private static IStrictSpot Owned(IGrainFactory grains, string key) =>
        grains.GetGrain<IStrictSpot>(GrainId.Create("by-majority", key));

    private static IGeoSilo SiloIn(GeoTestCluster clusters, string cluster) =>
        clusters.SilosOf(cluster)[0].Services.GetRequiredService<IGeoSilo>();

    /// <summary>
    /// Calls one grain after the other; how many calls were answered. Who is outside is refused, and nobody else. At most a thousand calls
    /// a second: callers that never wait for anything but each other, in the process of all silos, keep the two threads of a small
    /// machine's pool at their own queues, and no silo's renewals and heartbeats run for seconds.
    /// </summary>
    private static async Task<int> CallAsync(IGrainFactory grains, string[] keys, Func<Task<bool>> isOutside, CancellationToken until)
    {
        using var pace = new PeriodicTimer(TimeSpan.FromMilliseconds(1));
        for (var answered = 0; ;)
        {
            await pace.WaitForNextTickAsync(CancellationToken.None);
            try
            {
                await grains.GetGrain<ISpot>(keys[answered % keys.Length]).Add(1);
                await Owned(grains, keys[answered % keys.Length]).Where();
                answered++;
            }
            catch (GeoUnavailableException)
            {
                if (!await isOutside())
                {
                    throw;
                }

                return answered;
            }

            if (until.IsCancellationRequested)
            {
                return answered;
            }
        }
    }

    private static async Task ChangeAsync(Func<ValueTask<ConfigurationChange>> change)
    {
        await Eventually.Succeeds(async () =>
        {
            var made = await change();
            return made.IsMade ? made.Message : throw new GeoUnavailableException(made.Message);
        });
    }

    private static Task<string> UntilAsync(IGeoConfiguration configuration, ClusterId cluster, string stage, CancellationToken cancel) =>
        Eventually.Succeeds(async () =>
        {
            var view = await configuration.DescribeAsync(cancel);
            return view.Clusters.First(c => c.Cluster == cluster).Stage == stage && view.Waiting is null
                ? stage
                : throw new GeoUnavailableException(view.Waiting ?? "not yet");
        });

    /// <summary>Private, so that only the silos of these tests serve it.</summary>
    [GrainType("by-majority")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class ByMajority(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
    }
}
