using Geo.Orleans.Tests.Features.Grains;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Serialization.Configuration;

namespace Geo.Orleans.Tests.Features;

/// <summary>Calls between clusters that have different versions of an interface.</summary>
[Collection(FeatureCollection.Name)]
public sealed class InterfaceVersionTests(FeatureClusters features)
{
    [Fact]
    public async Task A_call_of_a_newer_version_than_the_other_cluster_has_does_not_run()
    {
        Assert.Equal("eu", await features.Eu.GetGrain<IEdition>("old").Where());

        var error = await Assert.ThrowsAsync<GeoUnavailableException>(features.Us.GetGrain<IEdition>("old").Where);

        Assert.Contains("version 2", error.Message, StringComparison.Ordinal);
        Assert.Contains("update that cluster first", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_of_an_older_version_runs()
    {
        Assert.Equal("us", await features.Us.GetGrain<IEdition>("new").Where());

        Assert.Equal("us", await features.Eu.GetGrain<IEdition>("new").Where());
    }

    [Fact]
    public async Task A_call_of_a_method_that_the_other_cluster_lacks_does_not_run_and_the_others_do()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Services = services => services.AddSingleton<IPostConfigureOptions<TypeManifestOptions>, LacksMethod>(),
        });
        Assert.Equal("eu", await clusters.Grains("eu").GetGrain<INovelty>("old").Where());
        var there = clusters.Grains("us").GetGrain<INovelty>("old");

        var error = await Assert.ThrowsAsync<GeoUnavailableException>(there.WhereToo);

        Assert.Contains("WhereToo", error.Message, StringComparison.Ordinal);
        Assert.Contains("run the same version of its interface in all clusters", error.Message, StringComparison.Ordinal);
        Assert.Equal("eu", await there.Where());
    }
}
