using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;

namespace Geo.Orleans.Tests.Calls;

/// <summary>Objects in "us" that a grain in "eu" calls.</summary>
public sealed class ObserverTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    private GeoTestCluster Clusters => two.Clusters;

    [Fact]
    public Task A_silos_observer_is_called_from_another_cluster() => HearsAsync("silo", Clusters.Grains("us"));

    [Fact]
    public async Task A_clients_observer_is_called_from_another_cluster() =>
        await HearsAsync("client", await Clusters.ConnectAsync("us", useGeo: true));

    [Fact]
    public async Task News_arrive_in_the_order_in_which_they_were_published()
    {
        var (listener, reference) = NewListener(Clusters.Grains("us"));
        var there = await PlaceInEuAsync("order");
        await there.Subscribe(reference);

        // Orleans may let later calls overtake those that wait until it knows where the observer is.
        await there.Publish("0");
        await Eventually.Is(1, () => Task.FromResult(listener.Heard.Count));
        for (var i = 1; i < 200; i++)
        {
            await there.Publish($"{i}");
        }

        await Eventually.Is(200, () => Task.FromResult(listener.Heard.Count));
        Assert.Equal(Enumerable.Range(0, 200).Select(i => $"{i}"), listener.Heard);
        GC.KeepAlive(listener);
    }

    [Fact]
    public async Task An_observer_inside_an_argument_is_called_and_its_answers_and_exceptions_come_back()
    {
        var (listener, reference) = NewListener(Clusters.Grains("us"));
        var there = await PlaceInEuAsync("nested");
        await there.SubscribeTo(new("weather", reference));

        Assert.Equal("me: rain!", await there.Ask("rain"));
        await Assert.ThrowsAsync<InvalidOperationException>(() => there.Ask(""));
        GC.KeepAlive(listener);
    }

    [Fact]
    public async Task An_observer_that_comes_home_is_the_one_that_left()
    {
        var grains = Clusters.Grains("us");
        var (listener, reference) = NewListener(grains);
        var there = await PlaceInEuAsync("home");
        await there.Subscribe(reference);

        Assert.Equal(reference, await there.Last());

        // And through a grain of its own cluster that got it from another one.
        var atHome = grains.GetGrain<INewsroom>("home-us");
        await atHome.Publish("");
        await there.HandOver(atHome);
        await atHome.Publish("back");
        await Eventually.Is(1, () => Task.FromResult(listener.Heard.Count));
    }

    [Fact]
    public async Task An_observer_that_comes_back_to_its_client_can_be_called_there()
    {
        var client = await Clusters.ConnectAsync("us", useGeo: true);
        var (listener, reference) = NewListener(client);
        await PlaceInEuAsync("back-to-client");
        var there = client.GetGrain<INewsroom>("back-to-client");
        await there.Subscribe(reference);

        var back = await there.Last();

        Assert.Equal("me: well!", await back.Reply("well"));
        GC.KeepAlive(listener);
    }

    private async Task HearsAsync(string key, IGrainFactory caller)
    {
        var (listener, reference) = NewListener(caller);
        await PlaceInEuAsync(key);
        var there = caller.GetGrain<INewsroom>(key);

        Assert.Equal("eu", await there.Subscribe(reference));
        await there.Publish("first");
        await Eventually.Is(1, () => Task.FromResult(listener.Heard.Count));
        await Clusters.Grains("eu").GetGrain<INewsroom>(key).Publish("second");

        await Eventually.Is(2, () => Task.FromResult(listener.Heard.Count));
        Assert.Equal(["first", "second"], listener.Heard);
    }

    // The listener is kept by the caller: Orleans holds observers weakly.
    private static (Listener Listener, IListener Reference) NewListener(IGrainFactory caller)
    {
        var listener = new Listener("me");
        return (listener, caller.CreateObjectReference<IListener>(listener));
    }

    private async Task<INewsroom> PlaceInEuAsync(string key)
    {
        await Clusters.Grains("eu").GetGrain<INewsroom>(key).Publish("");
        return Clusters.Grains("us").GetGrain<INewsroom>(key);
    }
}
