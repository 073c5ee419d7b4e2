using Geo.Orleans.Tests.Features.Grains;

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
}
