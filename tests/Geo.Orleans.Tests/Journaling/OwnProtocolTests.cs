using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Journaling;

public sealed class OwnProtocolTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    [Fact]
    public async Task One_attribute_gives_a_class_a_protocol_of_the_application_s_own()
    {
        var (eu, us) = (two.Clusters.Grains("eu").GetGrain<IBorrowed>("a"), two.Clusters.Grains("us").GetGrain<IBorrowed>("a"));
        await eu.Add(1);
        await us.Add(2);
        Assert.Equal((3, 3, 2), (await eu.Sum(), await us.Sum(), BorrowedAttribute.Views));
    }
}
