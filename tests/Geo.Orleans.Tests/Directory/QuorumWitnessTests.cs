using System.Collections.Concurrent;
using System.Globalization;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Directory;

/// <summary>
/// Two regions, and a witness: a cluster without grains, which keeps its part of the store in which a majority says who owns what.
/// </summary>
public sealed class QuorumWitnessTests
{
    private const string Witness = "witness";
    private static readonly string[] Names = ["eu", "us", Witness];

    [Fact]
    public async Task Two_regions_and_a_witness_go_on_through_a_cut_and_through_the_loss_of_a_region()
    {
        var disks = new ConcurrentDictionary<string, InMemoryConditionalStore>();
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            Clusters = Names,
            Silo = silo => silo.Services.AddOptions<GrainTypeOptions>().PostConfigure<IOptions<GeoOrleansOptions>>((types, geo) =>
            {
                if (geo.Value.ClusterId == Witness)
                {
                    types.Classes.RemoveWhere(type => type.Assembly == typeof(QuorumWitnessTests).Assembly);
                }
                else
                {
                    types.Classes.Add(typeof(Watched));
                }
            }),
            Geo = geo => geo.AddQuorumStore(GeoStorage.Quorum, Names, services => disks.GetOrAdd(
                services.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId, _ => new InMemoryConditionalStore())),
        });
        var first = await Eventually.Succeeds(() => In("eu"));
        Assert.Equal("eu", first.Cluster);
        Assert.Equal(first, await Eventually.Succeeds(() => In("us")));

        // Cut off, the owner serves nobody after its lease, and the other region takes the grain with the witness's word.
        clusters.Cut("eu", silo: 0);
        var second = await Eventually.Succeeds(() => In("us"));
        Assert.True(second.Cluster == "us" && second.Epoch > first.Epoch, $"{second} after {first}");
        await Assert.ThrowsAsync<GeoUnavailableException>(() => In("eu"));
        clusters.Heal();
        Assert.Equal(second, await Eventually.Succeeds(() => In("eu")));

        // Lost for ever, it is missed by nobody.
        await clusters.KillAsync("us");
        var third = await Eventually.Succeeds(() => In("eu"));
        Assert.True(third.Cluster == "eu" && third.Epoch > second.Epoch, $"{third} after {second}");
        await Eventually.Succeeds(() => In("eu", "never called"));

        async Task<(string Cluster, long Epoch)> In(string cluster, string key = "a")
        {
            var text = await clusters.Grains(cluster).GetGrain<IStrictSpot>(GrainId.Create("watched", key)).Where();
            var parts = text.Split(' ');
            return (parts[0], long.Parse(parts[1], CultureInfo.InvariantCulture));
        }
    }

    /// <summary>Private, so that only the silos of this test serve it.</summary>
    [GrainType("watched")]
    [GlobalSingleInstance(SingleInstanceMode.Quorum)]
    private sealed class Watched(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
    {
        public Task<string> Where() => Task.FromResult($"{options.Value.ClusterId} {this.GetTenancyEpoch()}");
    }
}
