using Geo.Consistency.Lattices;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans.Concurrency;
using Orleans.EventSourcing;
using Orleans.Metadata;
using Orleans.Placement;
using Orleans.Providers;

namespace Geo.Orleans.Tests.Declarations;

public sealed class GlobalSinglePropertiesTests
{
    [Fact]
    public void A_single_instance_class_selects_the_directory_and_tells_its_mode()
    {
        var properties = Of(typeof(StrictSpot));

        Assert.Equal(GeoGrainDirectory.Name, properties[WellKnownGrainTypeProperties.GrainDirectory]);
        Assert.Equal("Pessimistic", properties[GlobalSingleProperties.ModeProperty]);
    }

    [Fact]
    public void A_single_instance_class_tells_where_it_lives_and_that_must_be_a_cluster()
    {
        Assert.DoesNotContain(GlobalSingleProperties.HomeProperty, Of(typeof(StrictSpot)).Keys);
        Assert.Equal("us", Of(typeof(InUs))[GlobalSingleProperties.HomeProperty]);
        Assert.Equal(GlobalSingleProperties.WithCallers, Of(typeof(WithCallers))[GlobalSingleProperties.HomeProperty]);
        var refused = Assert.Throws<GeoConfigurationException>(() => Of(typeof(OnMars)));
        Assert.Contains("no cluster of that name is configured (asia, eu, us)", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_class_with_an_instance_in_each_cluster_says_so() =>
        Assert.Equal([GlobalSingleProperties.ReplicatedProperty], Of(typeof(Tally)).Keys);

    [Fact]
    public void Other_classes_are_left_as_they_are() => Assert.Empty(Of(typeof(PlainClass)));

    [Fact]
    public void A_stateless_worker_cannot_be_a_single_instance() =>
        Assert.Throws<GeoConfigurationException>(() => Of(typeof(SingleWorker)));

    [Fact]
    public void A_protocol_of_Geo_beside_a_log_consistency_provider_is_refused() =>
        Assert.Throws<GeoConfigurationException>(() => Of(typeof(TwoProviders)));

    [Fact]
    public void A_class_with_replicas_in_some_clusters_says_in_how_many_and_of_which()
    {
        var properties = Of(typeof(Shelf));
        Assert.Equal(
            ("2", "eu,asia,us"),
            (properties[GlobalSingleProperties.ReplicasProperty], properties[GlobalSingleProperties.ClustersProperty]));
        Assert.DoesNotContain(GlobalSingleProperties.ReplicasProperty, Of(typeof(Cart)).Keys);
        Assert.DoesNotContain(GlobalSingleProperties.LeavingProperty, properties.Keys);
        Assert.Equal("us", Of(typeof(Shelf), "us")[GlobalSingleProperties.LeavingProperty]);
    }

    [Fact]
    public void A_class_with_several_activations_a_silo_is_placed_as_a_stateless_worker()
    {
        var expected = new Dictionary<string, string>();
        new StatelessWorkerAttribute(2).Populate(new ServiceCollection().BuildServiceProvider(), typeof(Stand), default, expected);
        Assert.Equivalent(expected, Of(typeof(Stand)), strict: true);
        Assert.DoesNotContain(WellKnownGrainTypeProperties.PlacementStrategy, Of(typeof(Cart)).Keys);
    }

    [Fact]
    public void Several_activations_a_silo_beside_a_placement_of_Orleans_are_refused() => Assert.Contains(
        "PerSilo", Assert.Throws<GeoConfigurationException>(() => Of(typeof(TwoPlacements))).Message, StringComparison.Ordinal);

    private static Dictionary<string, string> Of(Type grainClass, params string[] leaving)
    {
        var properties = new Dictionary<string, string>();
        var options = Options.Create(new GeoOrleansOptions { ClusterId = "eu", Clusters = { ["us"] = [], ["asia"] = [], ["eu"] = [] } });
        var builder = new GeoSiloBuilder(new ServiceCollection(), new(new ConfigurationBuilder().Build().GetSection("Geo")));
        builder.ConfigureLattices(new() { LeavingClusters = leaving });
        new GlobalSingleProperties(new(), options, builder, new ServiceCollection().BuildServiceProvider())
            .Populate(grainClass, default, properties);
        return properties;
    }

    // Abstract, so that no silo of the tests serves them.
    private abstract class PlainClass : Grain;

    [GlobalSingleInstance, StatelessWorker]
    private abstract class SingleWorker : Grain;

    [CoordinationFree(PerSilo = 2), PreferLocalPlacement]
    private abstract class TwoPlacements : LatticeGrain<PnCounter>;

    [GlobalSingleInstance, Home("us")]
    private abstract class InUs : Grain;

    [GlobalSingleInstance, Home(HomePolicy.FollowsCallers)]
    private abstract class WithCallers : Grain;

    [GlobalSingleInstance, Home("mars")]
    private abstract class OnMars : Grain;

    [BatchedCas, LogConsistencyProvider(ProviderName = "other")]
    private abstract class TwoProviders : JournaledGrain<TallyState, Added>;
}
