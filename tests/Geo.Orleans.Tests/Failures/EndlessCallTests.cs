using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Failures;

/// <summary>The end of a duplicate waits for the calls that run on it, and a call may never end.</summary>
public sealed class EndlessCallTests
{
    private static readonly string[] Names = ["eu", "us"];

    [Fact]
    public async Task Calls_that_never_end_on_duplicates_hold_up_no_other_grain_and_those_are_one_when_the_calls_have_ended()
    {
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient with
        {
            // More calls do not end than grains are tried at a time.
            Directory = options => GeoTestClusterOptions.Impatient.Directory(options) with
            {
                DeactivationTimeout = TimeSpan.FromMilliseconds(300),
                ResolveParallelism = 2,
            },
        });
        var endless = Enumerable.Range(0, 4).Select(i => $"endless-{i}").ToArray();
        var others = Enumerable.Range(0, 10).Select(i => $"beside-endless-{i}").ToArray();
        clusters.Cut();
        var calls = Names.SelectMany(cluster => endless.Select(key => Guest(cluster, key).Stay())).ToArray();
        foreach (var cluster in Names)
        {
            foreach (var key in endless)
            {
                Assert.Equal(cluster, (await Guest(cluster, key).Where()).Cluster);
            }

            foreach (var key in others)
            {
                Assert.Equal(cluster, (await clusters.Grains(cluster).GetGrain<ISpot>(key).Where()).Cluster);
            }
        }

        clusters.Heal();

        foreach (var key in others)
        {
            await Eventually.Is(1, async () => (await Task.WhenAll(Names.Select(cluster =>
                Eventually.Succeeds(() => clusters.Grains(cluster).GetGrain<ISpot>(key).Where())))).Distinct().Count());
        }

        // Of the two one ends, and cannot yet: calls from elsewhere, with an old notion of where the grain is, do not wait for that.
        foreach (var key in endless)
        {
            await Eventually.Is(1, () => Task.FromResult(Names.Count(cluster => clusters.SilosOf(cluster)[0].Services
                .GetRequiredService<TrackedActivations>().TakesCalls(Guest(cluster, key).GetGrainId()))));
        }

        Assert.All(calls, call => Assert.False(call.IsCompleted));
        Array.ForEach(endless, key => Grains.Guest.Leave[key].SetResult());
        await Task.WhenAll(calls);
        foreach (var key in endless)
        {
            await Eventually.Is(1, async () => (await Task.WhenAll(Names.Select(cluster =>
                Eventually.Succeeds(() => Guest(cluster, key).Where())))).Distinct().Count());
        }

        IGuest Guest(string cluster, string key) => clusters.Grains(cluster).GetGrain<IGuest>(key);
    }

    [Fact]
    public async Task Calls_within_the_cluster_of_a_duplicate_that_ends_are_answered_by_the_owner_or_given_up_in_their_own_time()
    {
        const string key = "called-while-ending";
        await using var clusters = await GeoTestCluster.StartAsync(GeoTestClusterOptions.Impatient);
        clusters.Cut();
        var calls = Names.Select(cluster => Guest(cluster).Stay()).ToArray();
        foreach (var cluster in Names)
        {
            Assert.Equal(cluster, (await Guest(cluster).Where()).Cluster);
        }

        clusters.Heal();
        var owner = "";
        await Eventually.Is(1, () =>
        {
            var taking = Names.Where(cluster => clusters.SilosOf(cluster)[0].Services
                .GetRequiredService<TrackedActivations>().TakesCalls(Guest(cluster).GetGrainId())).ToArray();
            owner = taking[0];
            return Task.FromResult(taking.Length);
        });
        var duplicate = Names.Single(cluster => cluster != owner);
        var where = Guest(duplicate).Where();
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(Guest(duplicate).Hurry);
        Assert.All(calls, call => Assert.False(call.IsCompleted));

        Grains.Guest.Leave[key].SetResult();
        await Task.WhenAll(calls);
        Assert.Equal(owner, (await where).Cluster);
        Assert.Equal(owner, (await Guest(duplicate).Where()).Cluster);
        Assert.False(Grains.Guest.Hurried.ContainsKey(key));

        IGuest Guest(string cluster) => clusters.Grains(cluster).GetGrain<IGuest>(key);
    }
}
