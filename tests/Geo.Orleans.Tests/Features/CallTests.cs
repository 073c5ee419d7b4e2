using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Features.Grains;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Features;

/// <summary>What Orleans does around calls, for calls that are carried to another cluster.</summary>
[Collection(FeatureCollection.Name)]
public sealed class CallTests(FeatureClusters features)
{
    [Fact]
    public async Task Incoming_filters_see_a_carried_call_where_it_runs_and_outgoing_ones_where_the_instance_is_once_that_is_known()
    {
        var there = await features.PlaceInEuAsync(SeenCalls.WatchedKey);
        await there.Where();
        SeenCalls.Seen.Clear();

        await there.Visit(features.Us.GetGrain<IResident>("host"));

        Assert.Equal(["out eu Visit 1", "in eu Visit 1"], SeenCalls.Seen);
    }

    [Fact]
    public async Task The_call_that_finds_out_where_the_instance_is_also_passes_the_outgoing_filters_of_its_own_cluster()
    {
        var there = await features.PlaceInEuAsync(SeenCalls.WatchedKey + "-first");
        SeenCalls.Seen.Clear();

        Assert.Equal("eu", await there.Where());

        Assert.Equal(["out us Where 0", "out eu Where 0", "in eu Where 0"], SeenCalls.Seen);
    }

    [Fact]
    public async Task A_chain_of_calls_through_another_cluster_comes_back_in_where_the_caller_lets_it()
    {
        var there = await features.PlaceInEuAsync("chain");
        var here = features.Us.GetGrain<IRoamer>("chain-of-us");
        Assert.Equal("us", await here.Where());

        Assert.Equal("eu us", await here.RoundTrip(there, reentrant: true));
    }

    [Fact]
    public async Task What_may_interleave_on_a_grain_does_so_for_calls_that_are_carried()
    {
        var there = await features.PlaceInEuAsync("interleaves");

        var holding = there.Hold("call");
        await Held.For("call").Begun.WaitAsync(TestContext.Current.CancellationToken);
        Assert.Equal("eu", await there.WhereAlways());
        Assert.Equal("eu", await there.WhereMay());
        Held.For("call").LetGo();
        await holding;

        var reading = there.HoldReading("read");
        await Held.For("read").Begun.WaitAsync(TestContext.Current.CancellationToken);
        Assert.Equal("eu", await there.WhereReading());
        var waiting = there.Where();
        Assert.Equal("eu", await there.WhereReading());
        Assert.False(waiting.IsCompleted);
        Held.For("read").LetGo();
        await reading;
        Assert.Equal("eu", await waiting);
    }

    [Fact]
    public async Task Calls_that_are_carried_to_a_reentrant_grain_interleave()
    {
        const string key = "reentrant";
        Assert.Equal("eu", (await features.Eu.GetGrain<IGuest>(key).Where()).Cluster);
        var there = features.Us.GetGrain<IGuest>(key);

        var staying = there.Stay();
        await Eventually.Is(true, () => Task.FromResult(Guest.Leave.ContainsKey(key)));
        Assert.Equal("eu", (await there.Where()).Cluster);

        Assert.False(staying.IsCompleted);
        Guest.Leave[key].SetResult();
        await staying;
    }

    [Fact]
    public async Task An_extension_of_a_grain_is_called_where_the_instance_is()
    {
        var there = await features.PlaceInEuAsync("extended");

        Assert.Equal("hello eu", await there.AsReference<IPlaque>().Read("hello"));
        Assert.Equal("hello eu", await there.AsReference<IPlaque>().Read("hello"));
    }

    [Fact]
    public async Task An_activation_that_is_asked_to_move_to_a_silo_of_another_cluster_does_not_move_there()
    {
        var there = await features.PlaceInEuAsync("stays");
        var here = features.Eu.GetGrain<IRoamer>("stays");
        var foreign = features.Clusters.SilosOf("us")[0].Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;

        await here.MoveTo(foreign);
        await features.EndsAsync(here);

        // It has ended, as it does in a cluster without another silo; the next call decides where it is.
        Assert.Equal("eu", await here.Where());
        Assert.Equal("eu", await there.Where());
    }

    [Fact]
    public async Task A_reminder_of_an_ordinary_grain_calls_a_single_instance_wherever_it_is()
    {
        var there = await features.PlaceInEuAsync("called-by-alarm");
        var alarm = features.Us.GetGrain<IAlarm>("alarm");

        await alarm.Set(there);

        await Eventually.Is("eu", alarm.Called);
    }

    [Fact]
    public async Task A_transaction_of_ordinary_grains_runs_in_the_cluster_of_the_instance_that_begins_it()
    {
        var there = await features.PlaceInEuAsync("teller");

        await there.Transfer("from", "to", 5);

        Assert.Equal(5, await features.Eu.GetGrain<IAccount>("to").Balance());
        Assert.Equal(-5, await features.Eu.GetGrain<IAccount>("from").Balance());
        Assert.Equal(0, await features.Us.GetGrain<IAccount>("to").Balance());
    }
}
