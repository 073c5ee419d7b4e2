using System.Net;
using Geo.Testing.Wan;
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

    [Theory]
    [InlineData(CutMode.Drop)]
    [InlineData(CutMode.BlackHole)]
    public async Task Grains_of_a_cluster_that_is_lost_answer_here_if_they_are_optimistic_and_are_refused_if_not(CutMode mode)
    {
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<SingleCounterGrain>().AddGrain<CautiousCounterGrain>()
            .Configure(o => o.DeadLinkAfter = TimeSpan.FromSeconds(1));
        await using var us = await TestSilo.StartAsync("us", Configure, [("eu", null)]);
        await using var link = DelayedLink.Start(new DelayedLinkOptions { Target = IPEndPoint.Parse(us.Address) });
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", link.ListeningOn.ToString())]);
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked");
        var optimistic = us.Grains.GetGrain<ICounter>("a", typeof(SingleCounterGrain).FullName);
        var pessimistic = us.Grains.GetGrain<ICounter>("a", typeof(CautiousCounterGrain).FullName);
        foreach (var name in new[] { typeof(SingleCounterGrain).FullName, typeof(CautiousCounterGrain).FullName })
        {
            await eu.Grains.GetGrain<ICounter>("a", name).Add(1);
            Assert.Equal("eu", await us.Grains.GetGrain<ICounter>("a", name).Where());
        }

        link.Cut(mode);
        await Eventually.HoldsAsync(async () => await WhereAsync(optimistic) == "us", "the optimistic grain answers here");

        await Assert.ThrowsAsync<GeoUnavailableException>(pessimistic.Where);
        Assert.Equal("eu", await eu.Grains.GetGrain<ICounter>("a", typeof(CautiousCounterGrain).FullName).Where());
    }

    [Fact]
    public async Task An_instance_is_not_given_up_for_a_link_that_is_gone_for_a_moment()
    {
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<SingleCounterGrain>()
            .Configure(o => o.UnreachableAfter = TimeSpan.FromHours(1));
        await using var us = await TestSilo.StartAsync("us", Configure, [("eu", null)]);
        await using var link = DelayedLink.Start(new DelayedLinkOptions { Target = IPEndPoint.Parse(us.Address) });
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", link.ListeningOn.ToString())]);
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked");
        await eu.Grains.GetGrain<ICounter>("a").Add(1);
        var counter = us.Grains.GetGrain<ICounter>("a");
        Assert.Equal(2, await counter.Add(1));

        link.Cut(CutMode.Drop);
        await Eventually.HoldsAsync(() => !us.Silo.IsLinkedTo(new ClusterId("eu")), "the link is gone");
        await Assert.ThrowsAsync<GeoUnavailableException>(() => counter.Add(1));
        Assert.Equal(0, us.Silo.ActivationCount);

        link.Heal();
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the link is back");
        Assert.Equal(3, await counter.Add(1));
    }

    private static async Task<string?> WhereAsync(ICounter counter)
    {
        try
        {
            return await counter.Where();
        }
        catch (Exception e) when (e is GeoUnavailableException or GeoOutcomeUnknownException)
        {
            return null;
        }
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
