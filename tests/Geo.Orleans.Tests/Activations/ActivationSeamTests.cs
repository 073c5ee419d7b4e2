namespace Geo.Orleans.Tests.Activations;

public sealed class ActivationSeamTests
{
    private const string Message = "Orleans.Runtime.Message, Orleans.Core";
    private const string Table = "Orleans.Runtime.Catalog, Orleans.Runtime";
    private const string Activation = "Orleans.Runtime.ActivationData, Orleans.Runtime";
    private const string Another = "System.Version, System.Runtime";

    [Fact]
    public void The_places_are_found_in_the_version_of_Orleans_that_is_built_against() => Assert.NotNull(ActivationSeam.Reachable);

    [Theory]
    [InlineData("Orleans.Runtime.Elsewhere, Orleans.Core", Table, Activation)]
    [InlineData(Message, "Orleans.Runtime.Elsewhere, Orleans.Runtime", Activation)]
    [InlineData(Message, Table, "Orleans.Runtime.Elsewhere, Orleans.Runtime")]
    [InlineData(Another, Table, Activation)]
    [InlineData(Message, Another, Activation)]
    [InlineData(Message, Table, Another)]
    public void A_version_that_has_them_elsewhere_is_done_without(string message, string table, string activation) =>
        Assert.Null(ActivationSeam.Find(message, table, activation));
}
