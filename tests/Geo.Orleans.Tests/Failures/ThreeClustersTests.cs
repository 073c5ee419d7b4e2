using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Wan;

namespace Geo.Orleans.Tests.Failures;

/// <summary>Three clusters of one, two and three silos.</summary>
public sealed class ThreeClustersTests : IAsyncLifetime
{
    private static readonly string[] Names = ["asia", "eu", "us"];

    private GeoTestCluster _clusters = null!;

    public async ValueTask InitializeAsync() => _clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
    {
        Clusters = Names,
        SilosIn = new Dictionary<string, int> { ["asia"] = 1, ["eu"] = 2, ["us"] = 3 },
    });

    public ValueTask DisposeAsync() => _clusters.DisposeAsync();

    [Fact]
    public async Task Racing_first_calls_end_at_one_instance()
    {
        foreach (var key in Enumerable.Range(0, 50).Select(i => $"three-{i}"))
        {
            var answers = await Task.WhenAll(Names.SelectMany(cluster => Enumerable.Range(0, _clusters.SilosOf(cluster).Count)
                .Select(silo => Eventually.Succeeds(() => _clusters.Grains(cluster, silo).GetGrain<ISpot>(key).Where()))));
            Assert.Single(answers.Distinct());
        }
    }

    [Fact]
    public async Task Duplicates_of_a_partition_are_one_instance_again_after_healing()
    {
        _clusters.Cut(CutMode.Drop);
        var keys = Enumerable.Range(0, 10).Select(i => $"split-{i}").ToArray();
        foreach (var key in keys)
        {
            foreach (var cluster in Names)
            {
                Assert.Equal(cluster, (await Eventually.Succeeds(() => Where(cluster, key))).Cluster);
            }
        }

        _clusters.Heal();

        foreach (var key in keys)
        {
            await Eventually.Is(1, async () =>
                (await Task.WhenAll(Names.Select(cluster => Eventually.Succeeds(() => Where(cluster, key))))).Distinct().Count());
        }
    }

    [Fact]
    public async Task A_release_notice_that_was_lost_costs_the_next_caller_a_detour_and_nothing_else()
    {
        var before = await Eventually.Succeeds(() => Where("eu", "lost-notice"));
        Assert.Equal(before, await Eventually.Succeeds(() => Where("us", "lost-notice")));
        Assert.Equal(before, await Eventually.Succeeds(() => Where("asia", "lost-notice")));

        _clusters.Cut(CutMode.Drop);
        await _clusters.Grains("eu").GetGrain<ISpot>("lost-notice").End();
        await Eventually.Is(true, async () => await Eventually.Succeeds(() => Where("eu", "other-key")) is not null
            && !await _clusters.RowsOf("eu").ListAsync("gsi/spot/lost-notice").AnyAsync());
        _clusters.Heal();

        var after = await Eventually.Succeeds(() => Where("us", "lost-notice"));
        Assert.NotEqual(before, after);
        await Eventually.Is(1, async () => (await Task.WhenAll(Names.Select(cluster =>
            Eventually.Succeeds(() => Where(cluster, "lost-notice"))))).Distinct().Count());
    }

    private Task<Whereabouts> Where(string cluster, string key) => _clusters.Grains(cluster).GetGrain<ISpot>(key).Where();
}
