namespace Geo.Orleans.Tests.Activations;

public sealed class OrleansSeamsTests
{
    [Fact]
    public void Nothing_is_missing_in_the_version_of_Orleans_that_is_built_against() =>
        Assert.Empty(OrleansSeams.Missing(ActivationSeam.Reachable, ReaderSeam.Reachable, ReplicaSeam.Reachable));

    [Fact]
    public void Each_place_that_is_missing_is_named()
    {
        Assert.Equal(3, OrleansSeams.Missing(null, null, null).Select(missing => missing.Place).Distinct().Count());
        Assert.Contains("requests in messages", Assert.Single(PlacesWithout(activations: false), place => !place.Contains("interleave")));
        Assert.Contains("interleave", Assert.Single(PlacesWithout(readers: false)));
        Assert.Contains("construction", Assert.Single(PlacesWithout(replicas: false)));
    }

    private static IEnumerable<string> PlacesWithout(bool activations = true, bool readers = true, bool replicas = true) =>
        OrleansSeams.Missing(
            activations ? ActivationSeam.Reachable : null, readers ? ReaderSeam.Reachable : null, replicas ? ReplicaSeam.Reachable : null)
            .Select(missing => missing.Place);
}
