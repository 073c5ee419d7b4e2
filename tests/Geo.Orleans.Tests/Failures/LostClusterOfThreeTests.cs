using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Failures;

/// <summary>
/// One of three clusters is dead, so that nobody can say whether a grain is there: the others, who hear each other, are in doubt.
/// </summary>
public sealed class LostClusterOfThreeTests
{
    private static readonly string[] Survivors = ["eu", "us"];

    [Fact]
    public async Task Survivors_that_hear_each_other_have_one_instance_in_doubt_between_them_also_where_all_their_silos_call_at_once()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            Clusters = ["asia", .. Survivors],
            SilosIn = new Dictionary<string, int> { ["us"] = 2 },

            // While a row is tried again it is Requested.
            Directory = options => GeoTestClusterOptions.Impatient.Directory(options) with { ResolveInterval = TimeSpan.FromMinutes(5) },
        });
        await clusters.KillAsync("asia");
        await Eventually.Is(false, () => Task.FromResult(
            Survivors.SelectMany(clusters.SilosOf).Any(silo => Of(silo).IsLinkedTo(new ClusterId("asia")))));

        for (var i = 0; i < 10; i++)
        {
            var (name, (first, second)) = ($"one-after-the-other-{i}", i % 2 == 0 ? ("eu", "us") : ("us", "eu"));
            var before = await Spot(first, 0, name).Where();
            Assert.Equal(first, before.Cluster);
            Assert.Equal(before, await Spot(second, 0, name).Where());
            Assert.Equal(before, await Spot("us", 1, name).Where());
            await IsOneInDoubtAsync(name);
        }

        for (var i = 0; i < 10; i++)
        {
            var name = $"at-once-{i}";
            var answers = await Task.WhenAll(
                Spot("eu", 0, name).Where(), Spot("us", 0, name).Where(), Spot("us", 1, name).Where());
            Assert.Single(answers.Distinct());
            await IsOneInDoubtAsync(name);
        }

        ISpot Spot(string cluster, int silo, string name) => clusters.Grains(cluster, silo).GetGrain<ISpot>(name);

        async Task IsOneInDoubtAsync(string name)
        {
            var key = GrainNames.ToKey(Spot("eu", 0, name).GetGrainId());
            var rows = await Task.WhenAll(Survivors.Select(cluster =>
                Of(clusters.SilosOf(cluster)[0]).Administration.InspectAsync(key, TestContext.Current.CancellationToken).AsTask()));
            Assert.Single(rows, row => row?.State == GsiState.Doubtful);
            Assert.Single(Grains.Spot.Activations[name]);
        }
    }

    private static IGeoSilo Of(GeoTestSilo silo) => silo.Services.GetRequiredService<IGeoSilo>();
}
