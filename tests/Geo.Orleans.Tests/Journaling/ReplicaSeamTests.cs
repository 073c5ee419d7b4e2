namespace Geo.Orleans.Tests.Journaling;

public sealed class ReplicaSeamTests
{
    [Fact]
    public void The_place_is_found_in_the_version_of_Orleans_that_is_built_against() => Assert.NotNull(ReplicaSeam.Reachable);

    [Theory]
    [InlineData("Orleans.Runtime.Elsewhere, Orleans.Core.Abstractions")]
    [InlineData("System.Version, System.Runtime")]
    public void A_version_that_has_it_elsewhere_is_done_without(string context) => Assert.Null(ReplicaSeam.Find(context));
}
