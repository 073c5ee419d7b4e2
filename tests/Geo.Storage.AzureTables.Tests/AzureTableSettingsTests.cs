using Geo.Embedded;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Geo.Storage.AzureTables.Tests;

public sealed class AzureTableSettingsTests
{
    [Fact]
    public void A_store_takes_account_and_key_from_the_configuration() => Add(("SharedKey:Account", "account"), ("SharedKey:Key", "a2V5"));

    [Fact]
    public void A_store_takes_a_signature_from_the_configuration() => Add(("SharedAccessSignature", "?sv=2019-02-02&sig=a%3D"));

    [Fact]
    public void A_store_without_a_proof_is_refused() => Assert.Throws<GeoConfigurationException>(() => Add());

    [Fact]
    public void A_key_that_is_not_base64_is_refused_and_not_told()
    {
        var refused = Assert.ThrowsAny<Exception>(() => Add(("SharedKey:Account", "account"), ("SharedKey:Key", "not base64!")));

        Assert.DoesNotContain("not base64!", refused.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_misspelt_option_is_refused() => Assert.Throws<GeoConfigurationException>(
        () => Add(("SharedAccessSignature", "sig=a"), ("Tabel", "x")));

    private static void Add(params (string Key, string Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection(
        [
            new("Geo:Stores:Default:Endpoint", "https://account.table.core.windows.net"), new("Geo:Stores:Default:Table", "rows"),
            .. settings.Select(setting => new KeyValuePair<string, string?>($"Geo:Stores:Default:{setting.Key}", setting.Value)),
        ]);
        builder.UseGeoEmbedded(geo => geo.AddAzureTableStore(GeoStorage.Default));
        using var host = builder.Build();

        // Read, as the start reads them; nothing is opened.
        _ = host.Services.GetRequiredService<IOptions<GeoEmbeddedOptions>>().Value;
    }
}
