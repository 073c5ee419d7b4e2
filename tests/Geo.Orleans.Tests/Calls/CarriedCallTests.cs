using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Calls;

/// <summary>Calls from "us" to grains whose instance is in "eu".</summary>
public sealed class CarriedCallTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    private GeoTestCluster Clusters => two.Clusters;

    [Fact]
    public async Task A_call_reaches_the_instance_in_the_other_cluster()
    {
        var (here, there) = await PlaceInEuAsync("reach");

        Assert.Equal("eu", here.Cluster);
        Assert.Equal(here, await there.Where());
        Assert.Equal(here, await there.Where());
    }

    [Fact]
    public async Task Values_and_tuples_come_back_and_the_state_is_one()
    {
        var (_, there) = await PlaceInEuAsync("values");

        Assert.Equal(5, await there.Add(5));
        Assert.Equal(12, await Clusters.Grains("eu").GetGrain<ISpot>("values").Add(7));
        Assert.Equal(("a", 2), await there.Pair("a", 2));
        await there.Nothing();
    }

    [Fact]
    public async Task Exceptions_come_back_as_themselves_with_and_without_a_return_value()
    {
        var (_, there) = await PlaceInEuAsync("exceptions");

        var fromCall = await Assert.ThrowsAsync<InvalidOperationException>(() => there.Fail("sold out"));
        Assert.Equal("sold out", fromCall.Message);
        var own = await Assert.ThrowsAsync<GeoUnavailableException>(() => there.FailWithoutValue());
        Assert.Equal("the grain's own", own.Message);
    }

    [Fact]
    public async Task The_request_context_travels_along()
    {
        var (_, there) = await PlaceInEuAsync("context");

        RequestContext.Set("tenant", "acme");
        try
        {
            Assert.Equal("acme", await there.Context("tenant"));
        }
        finally
        {
            RequestContext.Clear();
        }

        Assert.Null(await there.Context("tenant"));
    }

    [Fact]
    public async Task A_one_way_call_as_the_first_one_arrives()
    {
        var (_, there) = await PlaceInEuAsync("one-way");

        await there.AddAndForget(3);

        await Eventually.Is(3, () => Clusters.Grains("eu").GetGrain<ISpot>("one-way").Add(0));
    }

    [Fact]
    public async Task A_grain_reference_as_an_argument_works_where_the_call_runs()
    {
        var (_, there) = await PlaceInEuAsync("follower");
        var inUs = Clusters.Grains("us").GetGrain<ISpot>("followed");
        var followed = await inUs.Where();

        Assert.Equal("us", followed.Cluster);
        Assert.Equal(followed, await there.Follow(inUs));
    }

    [Fact]
    public async Task An_asynchronous_sequence_is_enumerated_across_clusters()
    {
        var (_, there) = await PlaceInEuAsync("sequence");

        var numbers = new List<int>();
        await foreach (var number in there.Count(250))
        {
            numbers.Add(number);
        }

        Assert.Equal(Enumerable.Range(1, 250), numbers);
    }

    [Fact]
    public async Task After_the_instance_has_ended_the_next_call_activates_it_where_it_is_called()
    {
        var (here, there) = await PlaceInEuAsync("moving");
        Assert.Equal(here, await there.Where());

        await Clusters.Grains("eu").GetGrain<ISpot>("moving").End();
        var directory = Clusters.SilosOf("eu")[0].Services.GetRequiredService<GeoSilo>().Directory;
        await Eventually.Is(null, async () => await directory.LookupAsync(GrainNames.ToKey(there.GetGrainId())));

        Assert.Equal("us", (await there.Where()).Cluster);
        Assert.Equal("us", (await Clusters.Grains("eu").GetGrain<ISpot>("moving").Where()).Cluster);
    }

    private async Task<(Whereabouts Here, ISpot There)> PlaceInEuAsync(string key) =>
        (await Clusters.Grains("eu").GetGrain<ISpot>(key).Where(), Clusters.Grains("us").GetGrain<ISpot>(key));
}
