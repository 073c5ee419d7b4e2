using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
public sealed class CautiousCounterGrain : Grain, ICounter
{
    private int _value;

    public Task<int> Add(int amount) => Task.FromResult(_value += amount);

    public Task<string> Where() => Task.FromResult(RuntimeIdentity.Split('/')[0]);
}

public sealed class AvailabilityTests
{
    [Fact]
    public async Task An_optimistic_grain_is_served_while_the_other_cluster_cannot_be_reached()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<SingleCounterGrain>(), [("eu", "127.0.0.1:1")]);
        Assert.Equal(1, await silo.Grains.GetGrain<ICounter>("a").Add(1));
    }

    [Fact]
    public async Task A_pessimistic_grain_is_refused_while_the_other_cluster_cannot_be_reached()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<CautiousCounterGrain>(), [("eu", "127.0.0.1:1")]);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => silo.Grains.GetGrain<ICounter>("a").Add(1));
        Assert.Equal(0, silo.Silo.ActivationCount);
    }

    [Fact]
    public async Task Duplicates_that_a_partition_let_arise_become_one_when_the_clusters_meet()
    {
        var census = new Census();
        await using var us = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<WitnessGrain>(), [("eu", null)], s => s.AddSingleton(census));
        Assert.Equal("us", await us.Grains.GetGrain<IWitness>("a").Where());
        await using var eu = await TestSilo.StartAsync(
            "eu", geo => geo.AddGrain<WitnessGrain>(), [("us", "127.0.0.1:1")], s => s.AddSingleton(census));
        Assert.Equal("eu", await eu.Grains.GetGrain<IWitness>("a").Where());
        Assert.Equal(2, us.Silo.ActivationCount + eu.Silo.ActivationCount);

        ((GeoSilo)us.Silo).Dial(eu.Silo.ListeningOn!);
        await Eventually.HoldsAsync(
            async () => us.Silo.ActivationCount + eu.Silo.ActivationCount == 1
                && await us.Grains.GetGrain<IWitness>("a").Where() == await eu.Grains.GetGrain<IWitness>("a").Where(),
            "one instance is left and both clusters call it");
    }
}
