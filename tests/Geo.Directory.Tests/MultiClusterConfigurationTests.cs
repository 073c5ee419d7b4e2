namespace Geo.Directory.Tests;

public sealed class MultiClusterConfigurationTests
{
    private static readonly ClusterId Eu = new("eu");
    private static readonly ClusterId Us = new("us");

    [Fact]
    public void Clusters_are_kept_in_precedence_order_whatever_order_they_are_given_in()
    {
        var configuration = new MultiClusterConfiguration(1, [Us, Eu]);

        Assert.Equal([Eu, Us], configuration.Clusters);
        Assert.Equal([Us], configuration.Others(Eu));
        Assert.True(configuration.Includes(Us));
        Assert.False(configuration.Includes(new ClusterId("asia")));
        Assert.Equal(new MultiClusterConfiguration(1, [Eu, Us]), configuration);
    }

    [Fact]
    public void A_configuration_without_clusters_with_one_twice_or_with_none_is_refused()
    {
        Assert.Throws<GeoConfigurationException>(() => new MultiClusterConfiguration(1, []));
        Assert.Throws<GeoConfigurationException>(() => new MultiClusterConfiguration(1, [Eu, Us, Eu]));
        Assert.Throws<GeoConfigurationException>(() => new MultiClusterConfiguration(1, [Eu, default]));
    }
}
