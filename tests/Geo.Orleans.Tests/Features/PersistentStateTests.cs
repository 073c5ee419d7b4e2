using Geo.Orleans.Tests.Features.Grains;
using Orleans.Storage;

namespace Geo.Orleans.Tests.Features;

/// <summary>State of single-instance grains in grain storages that all clusters share, or that keep nothing.</summary>
[Collection(FeatureCollection.Name)]
public sealed class PersistentStateTests(FeatureClusters features)
{
    [Theory]
    [InlineData(typeof(KeepsShared))]
    [InlineData(typeof(KeepsAsGrainOfT))]
    [InlineData(typeof(KeepsDeclared))]
    public async Task An_instance_that_moves_to_another_cluster_finds_what_it_has_written(Type grainClass)
    {
        var eu = Grain(features.Eu, grainClass, "moves");
        for (var write = 1; write <= 7; write++)
        {
            Assert.Equal(new Kept("eu", write), await eu.Add(1));
        }

        await eu.End();
        await features.EndsAsync(eu);

        Assert.Equal(new Kept("us", 7), await Grain(features.Us, grainClass, "moves").Read());
    }

    [Fact]
    public async Task Ordinary_grains_have_a_record_of_each_clusters_own()
    {
        var (eu, us) = (Grain(features.Eu, typeof(KeepsInEachCluster), "two"), Grain(features.Us, typeof(KeepsInEachCluster), "two"));

        Assert.Equal(new Kept("eu", 1), await eu.Add(1));
        Assert.Equal(new Kept("us", 2), await us.Add(2));

        Assert.Equal(new Kept("eu", 1), await eu.Read());
    }

    [Fact]
    public async Task State_in_a_volatile_storage_lives_and_ends_with_the_instance()
    {
        var eu = Grain(features.Eu, typeof(KeepsVolatile), "volatile");
        await eu.Add(1);
        await eu.Add(1);
        Assert.Equal(new Kept("eu", 2), await eu.Read());

        await eu.End();
        await features.EndsAsync(eu);

        Assert.Equal(new Kept("us", 0), await Grain(features.Us, typeof(KeepsVolatile), "volatile").Read());
    }

    [Fact]
    public async Task Cleared_state_is_cleared_in_every_cluster()
    {
        var eu = Grain(features.Eu, typeof(KeepsShared), "cleared");
        await eu.Add(1);

        await eu.Clear();
        await eu.End();
        await features.EndsAsync(eu);

        Assert.Equal(new Kept("us", 0), await Grain(features.Us, typeof(KeepsShared), "cleared").Read());
    }

    [Fact]
    public async Task A_write_over_another_version_is_refused_and_the_next_activation_reads_what_is_stored()
    {
        var grain = Grain(features.Eu, typeof(KeepsShared), "conflict");
        await grain.Add(1);
        var key = $"state/kept/{GrainNames.ToKey(grain.GetGrainId())}";
        var stored = await features.Clusters.Shared.ReadAsync(key, TestContext.Current.CancellationToken);
        await features.Clusters.Shared.WriteAsync(key, stored.Value, stored.ETag, TestContext.Current.CancellationToken);

        await Assert.ThrowsAsync<InconsistentStateException>(() => grain.Add(1));

        Assert.Equal(2, (await grain.Add(1)).Sum);
    }

    [Fact]
    public async Task A_state_that_is_asked_for_by_code_in_a_storage_that_is_not_shared_is_refused()
    {
        var grain = features.Eu.GetGrain<IRoamer>("asks");

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(grain.AskForState);

        Assert.Contains("state 'asked-for' in grain storage 'Default'", error.Message, StringComparison.Ordinal);
    }

    private static IKept Grain(IGrainFactory grains, Type grainClass, string key) => grains.GetGrain<IKept>(key, grainClass.FullName);
}
