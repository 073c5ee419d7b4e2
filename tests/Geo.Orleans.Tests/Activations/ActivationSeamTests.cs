namespace Geo.Orleans.Tests.Activations;

public sealed class ActivationSeamTests
{
    [Fact]
    public void The_places_are_found_in_the_version_of_Orleans_that_is_built_against() => Assert.NotNull(ActivationSeam.Reachable);

    [Theory]
    [InlineData("Orleans.Runtime.Elsewhere, Orleans.Core", "Orleans.Runtime.Catalog, Orleans.Runtime")]
    [InlineData("Orleans.Runtime.Message, Orleans.Core", "Orleans.Runtime.Elsewhere, Orleans.Runtime")]
    [InlineData("System.Version, System.Runtime", "Orleans.Runtime.Catalog, Orleans.Runtime")]
    [InlineData("Orleans.Runtime.Message, Orleans.Core", "System.Version, System.Runtime")]
    public void A_version_that_has_them_elsewhere_is_done_without(string message, string table) =>
        Assert.Null(ActivationSeam.Find(message, table));
}
