namespace Geo.Orleans.Tests.Journaling;

public sealed class ReaderSeamTests
{
    [Fact]
    public void The_place_is_found_in_the_version_of_Orleans_that_is_built_against() => Assert.NotNull(ReaderSeam.Reachable);

    [Theory]
    [InlineData("Orleans.Runtime.Elsewhere, Orleans.Runtime", "Orleans.Runtime.MayInterleaveStaticPredicate, Orleans.Runtime")]
    [InlineData("Orleans.Runtime.GrainCanInterleave, Orleans.Runtime", "Orleans.Runtime.Elsewhere, Orleans.Runtime")]
    [InlineData("System.Version, System.Runtime", "Orleans.Runtime.MayInterleaveStaticPredicate, Orleans.Runtime")]
    public void A_version_that_decides_elsewhere_is_done_without(string interleaving, string predicate) =>
        Assert.Null(ReaderSeam.Find(interleaving, predicate));
}
