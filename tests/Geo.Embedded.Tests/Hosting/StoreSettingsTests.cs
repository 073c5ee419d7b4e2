using Geo.Storage.Sqlite;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;

namespace Geo.Embedded.Tests;

public sealed class StoreSettingsTests : IDisposable
{
    private readonly DirectoryInfo _folder = System.IO.Directory.CreateTempSubdirectory("geo-settings-");

    private string File => Path.Combine(_folder.FullName, "states.db");

    [Fact]
    public async Task A_store_takes_its_options_from_the_configuration()
    {
        using var host = Build(
            geo => geo.AddSqliteStore("Default"), new("Geo:Stores:default:Path", File), new("geo:stores:Default:Durability", "Normal"));

        await host.StartAsync(TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);

        Assert.True(System.IO.File.Exists(File));
    }

    [Fact]
    public async Task A_source_of_the_configuration_may_be_added_after_the_store()
    {
        var builder = Builder(geo => geo.AddSqliteStore("Default"));
        builder.Configuration.AddInMemoryCollection([new("Geo:Stores:Default:Path", File)]);
        using var host = builder.Build();

        await host.StartAsync(TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);

        Assert.True(System.IO.File.Exists(File));
    }

    [Theory]
    [InlineData("Geo:Stores:Default:Pfad", "x", "'Pfad'")]
    [InlineData("Geo:Stores:Default:MaxBatch", "0", "MaxBatch")]
    [InlineData("Geo:Stores:Default:MaxBatch", "many", "MaxBatch")]
    public async Task An_option_that_cannot_be_is_one_clear_line(string key, string value, string naming)
    {
        using var host = Build(geo => geo.AddSqliteStore("Default"), new("Geo:Stores:Default:Path", File), new(key, value));

        var error = await RefusedAsync(host);

        Assert.Contains(naming, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }

    [Fact]
    public async Task A_store_without_settings_is_refused()
    {
        using var host = Build(geo => geo.AddSqliteStore("Other"));

        Assert.Contains("'Geo:Stores:Other'", (await RefusedAsync(host)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Geo:Stores:Default:Path")]
    [InlineData("Geo:Stores:Other:Path")]
    [InlineData("Geo:Rows:Path")]
    public async Task Settings_that_no_store_reads_end_the_start(string key)
    {
        using var host = Build(
            geo => geo.AddSqliteStore("Default", new SqliteStoreOptions { Path = File }), new KeyValuePair<string, string?>(key, "x"));

        var error = await RefusedAsync(host);

        Assert.Contains($"'{key[..key.LastIndexOf(':')]}'", error.Message, StringComparison.Ordinal);
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private static Task<GeoConfigurationException> RefusedAsync(IHost host) =>
        Assert.ThrowsAsync<GeoConfigurationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

    private static IHost Build(Action<GeoEmbeddedBuilder> stores, params KeyValuePair<string, string?>[] settings) =>
        Builder(stores, settings).Build();

    private static HostApplicationBuilder Builder(Action<GeoEmbeddedBuilder> stores, params KeyValuePair<string, string?>[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection([new("Geo:ClusterId", "us"), .. settings]);
        builder.UseGeoEmbedded(geo => stores(geo.AddGrain<LocalCounterGrain>()));
        return builder;
    }
}
