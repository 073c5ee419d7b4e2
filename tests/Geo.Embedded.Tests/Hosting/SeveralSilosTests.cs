using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Embedded.Tests;

/// <summary>Several silos of one cluster, as a simulation has them.</summary>
public sealed class SeveralSilosTests
{
    private readonly SiloGroup _group = new();

    [Fact]
    public async Task A_single_instance_grain_has_one_instance_whichever_silo_is_called()
    {
        await using var first = await StartAsync("eu/1");
        await using var second = await StartAsync("eu/2");

        Assert.Equal(1, await first.Grains.GetGrain<ICounter>("single").Add(1));
        Assert.Equal(3, await second.Grains.GetGrain<ICounter>("single").Add(2));
        Assert.Equal(await first.Grains.GetGrain<ICounter>("single").Where(), await second.Grains.GetGrain<ICounter>("single").Where());
    }

    [Fact]
    public async Task Racing_first_calls_on_both_silos_end_at_one_instance()
    {
        await using var first = await StartAsync("eu/1");
        await using var second = await StartAsync("eu/2");

        for (var i = 0; i < 20; i++)
        {
            var key = $"race-{i}";
            var sums = await Task.WhenAll(first.Grains.GetGrain<ICounter>(key).Add(1), second.Grains.GetGrain<ICounter>(key).Add(1));
            Assert.Equal([1, 2], sums.Order());
        }
    }

    [Fact]
    public async Task The_grains_of_a_silo_that_has_died_go_on_at_another_and_the_dead_one_serves_none()
    {
        await using var first = await StartAsync("eu/1");
        await using var second = await StartAsync("eu/2");
        Assert.Equal(1, await second.Grains.GetGrain<ICounter>("taken").Add(1));
        Assert.Equal(2, await first.Grains.GetGrain<ICounter>("taken").Add(1));

        _group.Declare("eu/2", SiloState.Dead);

        // A new instance, which counts from the beginning.
        Assert.Equal(1, await first.Grains.GetGrain<ICounter>("taken").Add(1));
        await Assert.ThrowsAnyAsync<GeoException>(() => second.Grains.GetGrain<ICounter>("taken").Add(1));
    }

    [Fact]
    public async Task A_silo_that_stops_in_order_leaves_its_grains_to_the_others_at_once()
    {
        await using var first = await StartAsync("eu/1");
        var second = await StartAsync("eu/2");
        await second.Grains.GetGrain<ICounter>("left").Add(1);

        await second.DisposeAsync();
        _group.Declare("eu/2", SiloState.Dead);

        Assert.Equal(1, await first.Grains.GetGrain<ICounter>("left").Add(1));
    }

    [Fact]
    public async Task A_silo_that_finds_itself_fenced_off_stops_its_host()
    {
        var ended = TestContext.Current.CancellationToken;
        await using var silo = await StartAsync("eu/1");
        var stopping = silo.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;
        var key = LeaseRow.KeyOf("eu/1");
        var fence = new LeaseRow { IsFenced = true, Duration = TimeSpan.FromSeconds(1) }.Encode();
        StoreWrite written;
        do
        {
            // Renewals come between.
            written = await _group.Rows.WriteAsync(key, fence, (await _group.Rows.ReadAsync(key, ended)).ETag, ended);
        }
        while (written.Outcome != StoreWriteOutcome.Applied);

        await Eventually.HoldsAsync(() => stopping.IsCancellationRequested, "the host stops");
        await Assert.ThrowsAnyAsync<GeoException>(() => silo.Grains.GetGrain<ICounter>("never-called").Add(1));
    }

    private Task<TestSilo> StartAsync(string node) => TestSilo.StartAsync(
        "eu", geo => geo.AddGrain<SingleCounterGrain>(), services: s => s.AddSingleton(_group.Join(node)));
}
