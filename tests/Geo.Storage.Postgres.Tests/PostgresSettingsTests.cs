using Geo.Embedded;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Geo.Storage.Postgres.Tests;

public sealed class PostgresSettingsTests
{
    [Fact]
    public void A_store_takes_its_options_from_the_configuration() => Add("Table", "states");

    [Theory]
    [InlineData("Table", "Not a table")]
    [InlineData("Tabel", "states")]
    [InlineData("ConnectionString", "what is this")]
    public void An_option_that_cannot_be_is_refused(string key, string value) =>
        Assert.Throws<GeoConfigurationException>(() => Add(key, value));

    private static void Add(string key, string value)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection([new("Geo:Stores:Default:ConnectionString", "Host=x")])
            .AddInMemoryCollection([new($"Geo:Stores:Default:{key}", value)]);
        builder.UseGeoEmbedded(geo => geo.AddPostgresStore(GeoStorage.Default));
        using var host = builder.Build();

        // Read, as the start reads them; nothing is opened.
        _ = host.Services.GetRequiredService<IOptions<GeoEmbeddedOptions>>().Value;
    }
}
