using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Calls;

public sealed class ExternalClientTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    [Fact]
    public async Task A_client_with_UseGeo_reaches_an_instance_in_another_cluster()
    {
        var here = await two.Clusters.Grains("eu").GetGrain<ISpot>("for-clients").Where();
        var client = await two.Clusters.ConnectAsync("us", useGeo: true);

        var there = client.GetGrain<ISpot>("for-clients");

        Assert.Equal(here, await there.Where());
        Assert.Equal(9, await there.Add(9));
        await Assert.ThrowsAsync<InvalidOperationException>(() => there.Fail("sold out"));
    }

    [Fact]
    public async Task A_method_in_another_cluster_has_the_time_that_it_names_and_not_that_of_the_client()
    {
        var client = await two.Clusters.ConnectAsync(
            "us", useGeo: true, messaging: options => options.ResponseTimeout = TimeSpan.FromSeconds(2));
        await two.Clusters.Grains("eu").GetGrain<IBroken>("for-patient-clients", typeof(SingleBroken).FullName).Where();
        var there = client.GetGrain<IBroken>("for-patient-clients", typeof(SingleBroken).FullName);
        await Eventually.Succeeds(there.Where);

        var held = there.HoldAtLeisure();
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(there.Hold);

        Assert.False(held.IsCompleted, $"{held.Exception}");
        await two.Clusters.Grains("eu").GetGrain<IBroken>("for-patient-clients", typeof(SingleBroken).FullName).Free();
        await held;
    }

    [Fact]
    public async Task A_client_without_UseGeo_gets_a_typed_error_that_names_the_cluster_and_what_to_do()
    {
        await two.Clusters.Grains("eu").GetGrain<ISpot>("for-plain-clients").Where();
        var client = await two.Clusters.ConnectAsync("us", useGeo: false);

        var error = await Assert.ThrowsAsync<GeoRedirectException>(() => client.GetGrain<ISpot>("for-plain-clients").Where());

        Assert.Equal(new ClusterId("eu"), error.Cluster);
        Assert.Contains("UseGeo", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_without_UseGeo_calls_grains_of_its_own_cluster_as_ever()
    {
        var client = await two.Clusters.ConnectAsync("eu", useGeo: false);

        Assert.Equal("eu", (await client.GetGrain<ISpot>("own-cluster").Where()).Cluster);
    }
}
