using Geo.Orleans.Tests.Features.Grains;

namespace Geo.Orleans.Tests.Features;

/// <summary>
/// References where they are handed from cluster to cluster: of ordinary grains, of which each cluster has its own, and of single instances.
/// </summary>
[Collection(FeatureCollection.Name)]
public sealed class ReferenceTests(FeatureClusters features)
{
    [Fact]
    public async Task An_ordinary_grain_that_hands_itself_over_is_the_one_that_is_called()
    {
        var there = await features.PlaceInEuAsync("visited");

        Assert.Equal("us/host", await features.Us.GetGrain<IResident>("host").Receive(there));
        Assert.Equal("us/host", await there.Visit(features.Us.GetGrain<IResident>("host")));
        Assert.Equal("eu/host", await features.Eu.GetGrain<IResident>("host").Receive(features.Eu.GetGrain<IRoamer>("visited")));
    }

    [Fact]
    public async Task A_sequence_of_an_ordinary_grain_is_enumerated_from_another_cluster()
    {
        var there = await features.PlaceInEuAsync("sums");

        Assert.Equal(5050, await there.Sum(features.Us.GetGrain<IResident>("host"), 100));
    }

    [Fact]
    public async Task A_grain_with_an_instance_in_each_cluster_is_the_one_of_the_cluster_that_calls_it()
    {
        var there = await features.PlaceInEuAsync("visits-everywhere");

        Assert.Equal("eu", await there.VisitInEachCluster(features.Us.GetGrain<IEverywhere>("everywhere")));
    }

    [Fact]
    public async Task It_stays_the_same_when_it_is_handed_on_and_comes_home_again()
    {
        var there = await features.PlaceInEuAsync("returned");
        await there.Remember(features.Us.GetGrain<IResident>("host"));

        var inEu = await features.Eu.GetGrain<IRoamer>("returned").Remembered();
        var home = await there.Remembered();

        Assert.Equal("host", inEu.GetPrimaryKeyString());
        Assert.Equal("us/host", await inEu.Where());
        Assert.Equal(
            "us/host", await features.Eu.GetGrain<IResident>("go-between").Introduce(inEu, features.Eu.GetGrain<IRoamer>("returned")));
        Assert.Equal(features.Us.GetGrain<IResident>("host"), home);
    }

    [Fact]
    public async Task It_stays_the_same_in_shared_state_after_the_instance_has_moved()
    {
        var eu = features.Eu.GetGrain<IRoamer>("moves");
        await eu.Remember(features.Eu.GetGrain<IResident>("left-behind"));

        await eu.End();
        await features.EndsAsync(eu);

        Assert.Equal("us", await features.Us.GetGrain<IRoamer>("moves").Where());
        Assert.Equal("eu/left-behind", await features.Us.GetGrain<IRoamer>("moves").VisitRemembered());
    }

    [Fact]
    public async Task A_single_instance_grain_in_an_answer_or_in_shared_state_is_the_instance_wherever_it_is_by_then()
    {
        var there = await features.PlaceInEuAsync("keeps-a-friend");
        var friend = await features.PlaceInEuAsync("friend");
        await there.RememberRoamer(friend);
        Assert.Equal("eu", await (await there.RememberedRoamer()).Where());

        foreach (var roamer in (IRoamer[])[friend, there])
        {
            await roamer.End();
            await features.EndsAsync(roamer);
            Assert.Equal("us", await roamer.Where());
        }

        Assert.Equal("us", await (await features.Eu.GetGrain<IRoamer>("keeps-a-friend").RememberedRoamer()).Where());
    }

    [Fact]
    public async Task An_external_client_calls_the_one_that_it_is_given()
    {
        await features.PlaceInEuAsync("answers");
        await features.Eu.GetGrain<IRoamer>("answers").Remember(features.Eu.GetGrain<IResident>("of-eu"));
        var client = await features.Clusters.ConnectAsync("us", useGeo: true);

        var given = await client.GetGrain<IRoamer>("answers").Remembered();

        Assert.Equal("eu/of-eu", await given.Where());
        Assert.Equal("eu/of-eu", await client.GetGrain<IResident>("go-between").Introduce(given, client.GetGrain<IRoamer>("answers")));
    }
}
