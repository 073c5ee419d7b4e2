using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

public sealed class SurroundingsTests
{
    [Fact]
    public async Task A_silo_takes_its_threads_rows_stores_and_name_from_the_surroundings_among_its_services()
    {
        var around = new RecordingSurroundings();
        await using var silo = await TestSilo.StartAsync(
            "eu", geo => geo.AddGrain<SingleCounterGrain>(), services: s => s.AddSingleton<SiloSurroundings>(around));

        Assert.Equal(1, await silo.Grains.GetGrain<ICounter>("a").Add(1));
        Assert.Equal(
            $"store {GeoStorage.Default} of eu", Assert.Single(around.Taken, t => t.StartsWith("store", StringComparison.Ordinal)));
        Assert.Contains("start", around.Taken);
        Assert.Contains("rows of eu", around.Taken);
        Assert.Contains("turns of singlecounter/a", around.Taken);
        Assert.Null(silo.Silo.GatewayOn);
    }

    [Fact]
    public void Silos_that_share_the_settings_of_JSON_each_read_references_of_their_own()
    {
        var wire = new WireSettings();
        var eu = new JsonGeoSerializer(wire.JsonOptions, (_, _) => new Reference("eu"));
        var us = new JsonGeoSerializer(wire.JsonOptions, (_, _) => new Reference("us"));
        var bytes = "\"counter/a\""u8;

        Assert.Equal("eu", ((Reference)eu.Deserialize<ICounter>(bytes)).Silo);
        Assert.Equal("us", ((Reference)us.Deserialize<ICounter>(bytes)).Silo);
        Assert.Equal("eu", ((Reference)eu.Deserialize<ICounter>(bytes)).Silo);
    }

    private sealed record Reference(string Silo) : ICounter
    {
        public Task<int> Add(int amount) => throw new NotSupportedException();

        public Task<string> Where() => throw new NotSupportedException();
    }
}
