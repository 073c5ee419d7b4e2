using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

public sealed class LiveConfigurationTests
{
    private static readonly ClusterId Asia = new("asia");

    [Fact]
    public async Task A_region_is_drained_under_load_and_comes_back_while_all_silos_run()
    {
        var cancel = TestContext.Current.CancellationToken;
        await using var clusters = await StartAsync();
        var keys = Enumerable.Range(0, 20).Select(i => $"live-{i}").ToArray();
        foreach (var key in keys)
        {
            await clusters.Grains("asia").GetGrain<ISpot>(key).Where();
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
        }

        await ChangeAsync(() => configuration.AddAsync(Asia, [], cancel));
        await UntilAsync(configuration, Asia, "member", cancel);
        Assert.Contains("asia", (await clusters.Grains("asia").GetGrain<ISpot>("live-new").Where()).Cluster, StringComparison.Ordinal);

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
        var configuration = SiloIn(clusters, "us").Configuration!;
        await ChangeAsync(() => configuration.RemoveAsync(Asia, cancel));
        await UntilAsync(configuration, Asia, "outside", cancel);
        await clusters.KillAsync("asia");
        await Eventually.Succeeds(() => SiloIn(clusters, "eu").IsLinkedTo(Asia)
            ? Task.FromException<bool>(new GeoUnavailableException("eu is linked to asia still"))
            : Task.FromResult(true));

        Assert.Equal("eu", (await grains.GetGrain<ISpot>("idle").Where()).Cluster);
        Assert.Equal("eu", await grains.GetGrain<IStrictSpot>("idle").Where());
    }

    private static Task<GeoTestCluster> StartAsync() => GeoTestCluster.StartAsync(new()
    {
        Clusters = ["asia", "eu", "us"],
        SilosIn = new Dictionary<string, int> { ["asia"] = 2 },
        LeaseDuration = TimeSpan.FromSeconds(3),
        Settings = options => options.ConfigurationStore = GeoStorage.Default,
        Directory = options => options with
        {
            ConfigurationRefresh = TimeSpan.FromMilliseconds(200),

            // What takes a grain from the cluster that leaves is only slow where this process is, and not gone.
            RequestTimeout = TimeSpan.FromSeconds(10),
            RoundLifetime = TimeSpan.FromSeconds(30),
        },

        // What is in the memory of all clusters does not follow yet.
        Services = services => services.PostConfigure<GrainTypeOptions>(types => types.Classes.RemoveWhere(
            type => GrainDeclaration.Of(type, GlobalSingleProperties.IsVersioned(type)).Protocol
                is ViewProtocol.VersionedLeader or ViewProtocol.CoordinationFree)),
    });

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
}
