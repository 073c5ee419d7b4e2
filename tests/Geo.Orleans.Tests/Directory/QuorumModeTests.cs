using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
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

/// <summary>Three Orleans clusters that keep by majority who owns a grain.</summary>
public sealed class QuorumModeTests : IAsyncLifetime
{
    private static readonly string[] Names = ["asia", "eu", "us"];

    private readonly ConcurrentDictionary<string, InMemoryConditionalStore> _disks = new();
    private GeoTestCluster _clusters = null!;

    public async ValueTask InitializeAsync() => _clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
    {
        Clusters = Names,
        SilosIn = new Dictionary<string, int> { ["us"] = 2 },
        Silo = silo => silo.Configure<GrainTypeOptions>(types => types.Classes.Add(typeof(Owned))),
        Geo = geo => geo.AddQuorumStore(GeoStorage.Quorum, Names, services => _disks.GetOrAdd(
            services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
    });

    public ValueTask DisposeAsync() => _clusters.DisposeAsync();

    [Fact]
    public async Task Racing_first_calls_end_at_one_instance()
    {
        foreach (var key in Enumerable.Range(0, 20).Select(i => $"race-{i}"))
        {
            var answers = await Task.WhenAll(Names.SelectMany(cluster => Enumerable.Range(0, _clusters.SilosOf(cluster).Count)
                .Select(silo => Eventually.Succeeds(() => Where(cluster, key, silo)))));
            Assert.Single(answers.Distinct());
        }
    }

    [Fact]
    public async Task The_grains_of_a_cluster_that_is_killed_answer_elsewhere_and_it_returns_by_itself()
    {
        var before = await Eventually.Succeeds(() => Where("eu", "lost"));
        Assert.Equal("eu", before.Cluster);
        Assert.Equal(before, await Eventually.Succeeds(() => Where("us", "lost")));
        await _clusters.KillAsync("eu");

        // Never called before: nobody waits for the cluster that is lost.
        await Eventually.Succeeds(() => Where("asia", "new"));
        var since = Stopwatch.GetTimestamp();
        var after = await Eventually.Succeeds(() => Where("us", "lost"));
        var took = Stopwatch.GetElapsedTime(since);
        Assert.NotEqual("eu", after.Cluster);
        Assert.True(after.Epoch > before.Epoch, $"{after} after {before}");
        Assert.True(took < TimeSpan.FromSeconds(10), $"it took {took}");

        await _clusters.RestartAsync("eu");
        Assert.Equal(after, await Eventually.Succeeds(() => Where("eu", "lost")));
        Assert.Equal("eu", (await Eventually.Succeeds(() => Where("eu", "of its own"))).Cluster);
    }

    [Fact]
    public async Task A_silo_that_dies_leaves_its_grains_to_others()
    {
        var before = await Eventually.Succeeds(() => Where("us", "sibling", silo: 1));
        await _clusters.SilosOf("us")[1].KillAsync();
        var after = await Eventually.Succeeds(() => Where("us", "sibling"));
        Assert.True(after.Cluster == "us" && after.Epoch >= before.Epoch, $"{after} after {before}");
    }

    [Fact]
    public async Task A_silo_that_is_torn_down_does_not_give_its_lease_back()
    {
        var services = _clusters.SilosOf("us")[1].Services;
        var lease = LeaseRow.KeyOf($"us/{services.GetRequiredService<OrleansMembership>().Local}/1");
        var store = _clusters.SilosOf("us")[0].Services.GetRequiredService<IGeoSilo>().FindStore(GeoStorage.Quorum);
        await Eventually.Is(StoreReadOutcome.Found, LookAsync);

        await _clusters.SilosOf("us")[1].KillAsync();

        // Activations may still run there: others fence the lease off when it has run out, and do not find it gone.
        await Eventually.Is(StoreReadOutcome.Found, LookAsync);

        async Task<StoreReadOutcome> LookAsync() => (await store.ReadAsync(lease, TestContext.Current.CancellationToken)).Outcome;
    }

    [Fact]
    public async Task Without_a_store_by_majority_no_silo_starts()
    {
        var ports = FreePorts.Take(2);
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => GeoTestSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo =>
            {
                silo.Configure<GrainTypeOptions>(types => types.Classes.Add(typeof(Owned)));
                silo.UseGeo(geo => geo.UseRowStore(_ => new InMemoryConditionalStore()).Configure(options => options.ClusterId = "eu"));
            }));
        Assert.Contains("AddQuorumStore(\"Quorum\"", error.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(Owned), error.Message, StringComparison.Ordinal);
    }

    private async Task<(string Cluster, long Epoch)> Where(string cluster, string key, int silo = 0)
    {
        var text = await _clusters.Grains(cluster, silo).GetGrain<IStrictSpot>(GrainId.Create("owned", key)).Where();
        var parts = text.Split(' ');
        return (parts[0], long.Parse(parts[1], CultureInfo.InvariantCulture));
    }

    /// <summary>Private, so that only the silos of this test serve it.</summary>
    [GrainType("owned")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class Owned(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult($"{options.Value.ClusterId} {this.GetTenancyEpoch()}");
    }
}
