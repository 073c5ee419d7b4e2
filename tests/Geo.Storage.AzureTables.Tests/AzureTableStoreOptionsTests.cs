using Azure.Core;

namespace Geo.Storage.AzureTables.Tests;

public sealed class AzureTableStoreOptionsTests
{
    private static readonly AzureTableStoreOptions Valid = new()
    {
        Endpoint = new Uri("https://account.table.core.windows.net"),
        Table = "rows",
        SharedKey = new AzureTableSharedKey("account", "a2V5"),
    };

    public static TheoryData<string, AzureTableStoreOptions> Wrong => new()
    {
        { "Table must be", Valid with { Table = "a b" } },
        { "Table must be", Valid with { Table = "1abc" } },
        { "Endpoint 'rows' is not", Valid with { Endpoint = new Uri("rows", UriKind.Relative) } },
        { "Endpoint 'ftp://a/' is not", Valid with { Endpoint = new Uri("ftp://a") } },
        { "must not carry a signature", Valid with { Endpoint = new Uri("https://account.table.core.windows.net?sig=x") } },
        { "Cosmos DB", Valid with { Endpoint = new Uri("https://account.table.cosmos.azure.com") } },
        { "not encrypted", Valid with { Endpoint = new Uri("http://account.table.core.windows.net") } },
        { "0 are", Valid with { SharedKey = null } },
        { "2 are", Valid with { SharedAccessSignature = "sig=x" } },
        { "no parameter 'sig'", Valid with { SharedKey = null, SharedAccessSignature = "sv=2019-02-02&sig=" } },
        { "2 are", Valid with { Credential = new NoCredential() } },
        {
            "never sent unencrypted",
            Valid with
            {
                SharedKey = null,
                Credential = new NoCredential(),
                Endpoint = new Uri("http://127.0.0.1:1"),
                AllowInsecure = true,
            }
        },
        { "MaxValueBytes", Valid with { MaxValueBytes = 1024 * 1024 } },
        { "Timeout", Valid with { Timeout = TimeSpan.Zero } },
        { "PageEntries", Valid with { PageEntries = 1001 } },
    };

    [Theory]
    [MemberData(nameof(Wrong), DisableDiscoveryEnumeration = true)]
    public void What_cannot_be_is_refused_in_one_line_that_names_it(string naming, AzureTableStoreOptions options)
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => new AzureTableConditionalStore(options));

        Assert.StartsWith("The options of the Azure table store do not hold: ", refused.Message, StringComparison.Ordinal);
        Assert.Contains(naming, refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        "AccountName=a;AccountKey=a2V5;EndpointSuffix=core.windows.net;DefaultEndpointsProtocol=https", "https://a.table.core.windows.net/",
        "a")]
    [InlineData("accountname=a;accountkey=a2V5;tableendpoint=https://b.example/c", "https://b.example/c", "a")]
    [InlineData("UseDevelopmentStorage=true", "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1")]
    public void A_connection_string_gives_address_and_key(string text, string endpoint, string account)
    {
        var options = AzureTableStoreOptions.FromConnectionString(text, "rows");

        Assert.Equal((new Uri(endpoint), account), (options.Endpoint, options.SharedKey!.Account));
        new AzureTableConditionalStore(options).Dispose();
    }

    [Fact]
    public void A_connection_string_may_carry_a_signature_which_is_not_told()
    {
        var options = AzureTableStoreOptions.FromConnectionString(
            "TableEndpoint=https://b.example/c;SharedAccessSignature=sv=2019-02-02&sig=secret%3D", "rows");

        Assert.Equal((new Uri("https://b.example/c"), "sv=2019-02-02&sig=secret%3D"), (options.Endpoint, options.SharedAccessSignature));
        Assert.DoesNotContain("secret", options.ToString(), StringComparison.Ordinal);
        new AzureTableConditionalStore(options).Dispose();
    }

    [Theory]
    [InlineData("AccountName", "AccountKey=a2V5;EndpointSuffix=x")]
    [InlineData("AccountKey", "AccountName=a;EndpointSuffix=x")]
    [InlineData("EndpointSuffix", "AccountName=a;AccountKey=a2V5")]
    [InlineData("not an address", "AccountName=a;AccountKey=a2V5;TableEndpoint=nowhere")]
    public void What_is_missing_in_a_connection_string_is_named(string naming, string text)
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => AzureTableStoreOptions.FromConnectionString(text, "rows"));

        Assert.Contains(naming, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("a2V5", refused.Message, StringComparison.Ordinal);
    }

    private sealed class NoCredential : TokenCredential
    {
        public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) => default;

        public override ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
            default;
    }
}
