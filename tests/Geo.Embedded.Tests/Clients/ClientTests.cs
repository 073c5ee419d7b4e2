using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

public sealed class ClientTests
{
    [Fact]
    public async Task A_client_reaches_single_instances_in_other_clusters_through_its_own()
    {
        await using var clusters = await TwoClusters.StartAsync(geo => geo.AddGrain<SingleCounterGrain>());
        await clusters.Us.Grains.GetGrain<ICounter>("a").Add(1);
        await using var client = await clusters.Eu.ConnectClientAsync();
        Assert.Equal(2, await client.GetGrain<ICounter>("a").Add(1));
        Assert.Equal("us", await client.GetGrain<ICounter>("a").Where());
    }

    [Fact]
    public async Task A_client_names_a_class_by_its_prefix_where_several_implement_the_interface()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalCounterGrain>().AddGrain<SingleCounterGrain>());
        await using var client = await silo.ConnectClientAsync();
        var ambiguous = await Assert.ThrowsAsync<GeoConfigurationException>(() => client.GetGrain<ICounter>("a").Add(1));
        Assert.Contains(nameof(SingleCounterGrain), ambiguous.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => silo.Grains.GetGrain<ICounter>("a"));
        var prefix = typeof(LocalCounterGrain).FullName!;
        Assert.Equal(1, await client.GetGrain<ICounter>("a", prefix).Add(1));
        Assert.Equal(2, await silo.Grains.GetGrain<ICounter>("a", prefix).Add(1));
        Assert.Equal(1, await client.GetGrain<ICounter>("a", "Geo.Embedded.Tests.Single").Add(1));
    }

    [Fact]
    public async Task A_client_whose_gateway_ends_uses_the_next_one()
    {
        await using var clusters = await TwoClusters.StartAsync(geo => geo.AddGrain<LocalCounterGrain>());
        var options = new GeoClientOptions { Gateways = { clusters.Us.Gateway, clusters.Eu.Gateway } };
        await using var client = new GeoClient(options);
        await client.ConnectAsync(TestContext.Current.CancellationToken);
        await client.GetGrain<ICounter>("a").Add(1);
        await clusters.Us.DisposeAsync();
        await Eventually.HoldsAsync(
            async () =>
            {
                try
                {
                    return await client.GetGrain<ICounter>("a").Where() == "eu";
                }
                catch (GeoException e) when (e is GeoOutcomeUnknownException or GeoUnavailableException)
                {
                    return false;
                }
            },
            "the other gateway is used");
    }

    [Fact]
    public async Task A_call_under_way_when_the_link_is_lost_ends_as_unknown_and_one_made_afterwards_as_unavailable()
    {
        var silo = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<TurnsGrain>().Configure(o => o.DeactivationTimeout = TimeSpan.FromMilliseconds(100)));
        await using var client = await silo.ConnectClientAsync(o => o.ConnectionWait = TimeSpan.FromMilliseconds(50));
        var turns = client.GetGrain<ITurns>("a");
        var call = turns.Enter("1");
        await Eventually.HoldsAsync(async () => (await turns.Log()).Length == 1, "the call runs");
        await silo.DisposeAsync();
        await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => call);
        await Eventually.HoldsAsync(() => !client.IsConnected, "the client notices");
        await Assert.ThrowsAsync<GeoUnavailableException>(() => turns.Enter("2"));
    }

    [Fact]
    public async Task A_one_way_call_that_waits_for_its_turn_is_not_cancelled_with_a_later_call()
    {
        await using var silo = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<WitnessGrain>(), services: s => s.AddSingleton(new Census()));
        await using var client = await silo.ConnectClientAsync();
        var witness = client.GetGrain<IWitness>("a");
        using var first = new CancellationTokenSource();
        using var second = new CancellationTokenSource();
        var running = witness.Wait(first.Token);
        await Eventually.HoldsAsync(() => witness.Saw("waiting"), "the first call runs");
        await witness.Tell("told");
        var waiting = witness.Wait(second.Token);
        await witness.Saw("anything");
        await second.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await witness.Saw("anything");
        await first.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        await Eventually.HoldsAsync(() => witness.Saw("told"), "the one-way call was executed");
    }

    [Fact]
    public async Task Thousands_of_calls_at_once_are_all_answered()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalCounterGrain>());
        await using var client = await silo.ConnectClientAsync();
        var calls = Enumerable.Range(0, 5_000).Select(i => client.GetGrain<ICounter>($"k{i % 50}").Add(1)).ToArray();
        Assert.Equal(50 * (100 * 101 / 2), (await Task.WhenAll(calls)).Sum());
    }

    [Fact]
    public async Task A_client_without_gateways_is_a_configuration_error()
    {
        var error = Assert.Throws<GeoConfigurationException>(() => new GeoClient(new GeoClientOptions()));
        Assert.Contains("Gateways", error.Message, StringComparison.Ordinal);
        await Task.CompletedTask;
    }
}
