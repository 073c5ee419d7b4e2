namespace Geo.Embedded.Tests;

public interface IRing : IGrainWithStringKey
{
    Task<string> Pass(string[] others);

    Task Hang();
}

[GlobalSingleInstance]
public sealed class RingGrain : Grain, IRing
{
    public async Task<string> Pass(string[] others) =>
        others.Length == 0 ? "end" : await GrainFactory.GetGrain<IRing>(others[0]).Pass(others[1..]);

    public Task Hang() => Task.Delay(Timeout.Infinite);
}

public sealed class DeadlockTests
{
    [Fact]
    public async Task A_cycle_of_calls_ends_in_a_time_out_that_names_the_chain()
    {
        await using var silo = await TestSilo.StartAsync("us", Configure);
        var error = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => silo.Grains.GetGrain<IRing>("a").Pass(["b", "c", "a"]));
        Assert.Contains("ring/a.Pass -> ring/b.Pass -> ring/c.Pass -> ring/a.Pass", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cycle_across_clusters_names_the_chain_to_a_client()
    {
        await using var clusters = await TwoClusters.StartAsync(Configure);
        await clusters.Us.Grains.GetGrain<IRing>("a").Pass([]);
        await clusters.Eu.Grains.GetGrain<IRing>("b").Pass([]);
        await using var client = await clusters.Eu.ConnectClientAsync(o => o.RequestTimeout = TimeSpan.FromSeconds(2));
        var error = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => client.GetGrain<IRing>("a").Pass(["b", "a"]));
        Assert.Contains("ring/a.Pass -> ring/b.Pass -> ring/a.Pass", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_grain_that_calls_itself_names_itself()
    {
        await using var silo = await TestSilo.StartAsync("us", Configure);
        var error = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => silo.Grains.GetGrain<IRing>("a").Pass(["a"]));
        Assert.Contains("ring/a.Pass -> ring/a.Pass", error.Message, StringComparison.Ordinal);
        Assert.Contains("[Reentrant]", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_that_is_not_answered_in_time_says_that_its_outcome_is_unknown()
    {
        await using var silo = await TestSilo.StartAsync("us", geo => geo.AddGrain<RingGrain>().Configure(o =>
        {
            o.RequestTimeout = TimeSpan.FromMilliseconds(200);
            o.DeactivationTimeout = TimeSpan.FromMilliseconds(100);
        }));
        var error = await Assert.ThrowsAsync<GeoOutcomeUnknownException>(() => silo.Grains.GetGrain<IRing>("a").Hang());
        Assert.Contains("ring/a.Hang", error.Message, StringComparison.Ordinal);
        Assert.Contains("not known", error.Message, StringComparison.Ordinal);
    }

    private static void Configure(GeoEmbeddedBuilder geo) =>
        geo.AddGrain<RingGrain>().Configure(o => o.RequestTimeout = TimeSpan.FromSeconds(2));
}
