namespace Geo.Storage.AzureTables.Tests.Authentication;

public sealed class SharedKeyLitePolicyTests
{
    private const string Date = "Sun, 11 Oct 2009 19:52:39 GMT";

    [Theory]
    [InlineData("https://testaccount1.table.core.windows.net/Tables", "/testaccount1/Tables")]
    [InlineData("https://testaccount1.table.core.windows.net/Tables?$filter=x&$top=1", "/testaccount1/Tables")]
    [InlineData("https://testaccount1.table.core.windows.net/t?timeout=1&comp=acl", "/testaccount1/t?comp=acl")]
    [InlineData(
        "https://testaccount1.table.core.windows.net/t(PartitionKey='a-2F=3D~7E_5F',RowKey='k!A')",
        "/testaccount1/t(PartitionKey='a-2F=3D~7E_5F',RowKey='k!A')")]
    [InlineData("http://127.0.0.1:10002/testaccount1/Tables", "/testaccount1/testaccount1/Tables")]
    public void The_date_and_the_resource_as_it_is_sent_are_signed(string address, string resource) =>
        Assert.Equal($"{Date}\n{resource}", SharedKeyLitePolicy.TextToSign("testaccount1", Date, new Uri(address)));

    [Fact]
    public void The_signature_is_an_hmac_with_the_accounts_key()
    {
        var key = new AzureTableSharedKey("testaccount1", "a2V5");

        Assert.Equal(
            "SharedKeyLite testaccount1:g8a+/QhZy6KQ3Bv5y0LnBm+2JoYY2psj2HH2tFPTUI0=",
            SharedKeyLitePolicy.Sign(key, Date, new Uri("https://testaccount1.table.core.windows.net/Tables")));
    }

    [Theory]
    [InlineData("", "a2V5")]
    [InlineData("account", "")]
    [InlineData("account", "not base64!")]
    public void A_key_that_cannot_be_is_refused_without_being_repeated(string account, string key)
    {
        var refused = Assert.Throws<GeoConfigurationException>(() => new AzureTableSharedKey(account, key));

        Assert.True(key.Length == 0 || !refused.Message.Contains(key, StringComparison.Ordinal));
    }

    [Fact]
    public void A_key_does_not_show_itself() => Assert.Equal("account", $"{new AzureTableSharedKey("account", "a2V5")}");
}
