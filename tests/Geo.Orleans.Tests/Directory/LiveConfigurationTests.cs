using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

public sealed class LiveConfigurationTests
{
    [Fact]
    public async Task A_region_is_drained_under_load_and_comes_back_while_all_silos_run()
    {
        var cancel = TestContext.Current.CancellationToken;
        await using var clusters = await GeoTestCluster.StartAsync(new()
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
        var keys = Enumerable.Range(0, 20).Select(i => $"live-{i}").ToArray();
        foreach (var key in keys)
        {
            await clusters.Grains("asia").GetGrain<ISpot>(key).Where();
        }

        var configuration = clusters.SilosOf("us")[0].Services.GetRequiredService<IGeoSilo>().Configuration!;
        var asia = new ClusterId("asia");

        // All clusters go on calling, the one that is drained too, until it is outside: nobody notices.
        using var drained = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        IEnumerable<string> all = ["asia", "eu", "us"];
        var calls = all.SelectMany(cluster => clusters.SilosOf(cluster).Select(silo =>
            CallAsync(silo.Grains, keys, cluster == "asia" ? IsOutsideAsync : () => Task.FromResult(false), drained.Token))).ToArray();
        await ChangeAsync(() => configuration.RemoveAsync(asia, cancel));
        await UntilAsync(configuration, asia, "outside", cancel);
        await drained.CancelAsync();
        Assert.All(await Task.WhenAll(calls), answered => Assert.NotEqual(0, answered));
        Assert.Empty(await clusters.RowsOf("asia").ListAsync(GlobalDirectory.RowPrefix, cancel).ToListAsync(cancel));
        foreach (var key in keys)
        {
            Assert.DoesNotContain("asia", (await clusters.Grains("us").GetGrain<ISpot>(key).Where()).Cluster, StringComparison.Ordinal);
        }

        await ChangeAsync(() => configuration.AddAsync(asia, [], cancel));
        await UntilAsync(configuration, asia, "member", cancel);
        Assert.Contains("asia", (await clusters.Grains("asia").GetGrain<ISpot>("live-new").Where()).Cluster, StringComparison.Ordinal);

        async Task<bool> IsOutsideAsync() =>
            (await configuration.DescribeAsync(cancel)).Clusters.First(cluster => cluster.Cluster == asia).Stage == "outside";
    }

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
