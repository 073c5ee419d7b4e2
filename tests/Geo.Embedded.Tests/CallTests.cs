namespace Geo.Embedded.Tests;

public sealed class CallTests
{
    [Fact]
    public async Task A_grain_is_activated_by_its_first_call_and_keeps_its_state_between_calls()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalCounterGrain>());
        var counter = silo.Grains.GetGrain<ICounter>("a");
        Assert.Equal(0, silo.Silo.ActivationCount);
        Assert.Equal(2, await counter.Add(2));
        Assert.Equal(5, await counter.Add(3));
        Assert.Equal(1, silo.Silo.ActivationCount);
    }

    [Fact]
    public async Task A_single_instance_grain_is_called_in_the_cluster_that_called_it_first()
    {
        await using var clusters = await TwoClusters.StartAsync(geo => geo.AddGrain<SingleCounterGrain>());
        Assert.Equal(1, await clusters.Us.Grains.GetGrain<ICounter>("a").Add(1));
        Assert.Equal(2, await clusters.Eu.Grains.GetGrain<ICounter>("a").Add(1));
        Assert.Equal("us", await clusters.Eu.Grains.GetGrain<ICounter>("a").Where());
        Assert.Equal(0, clusters.Eu.Silo.ActivationCount);
    }

    [Fact]
    public async Task A_client_calls_grains_through_the_gateway()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalCounterGrain>());
        await using var client = await silo.ConnectClientAsync();
        Assert.Equal(2, await client.GetGrain<ICounter>("a").Add(2));
        Assert.Equal(3, await silo.Grains.GetGrain<ICounter>("a").Add(1));
    }
}
