using Azure.Core;
using Azure.Identity;
using Geo.Storage.AzureTables.Tests.Requests;

namespace Geo.Storage.AzureTables.Tests.Authentication;

public sealed class AuthenticationTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_shared_key_signs_each_request()
    {
        var service = new FakeService(FakeService.Applied);
        using var store = service.Open();

        await store.WriteAsync("k", default, null, Stop);

        var key = new AzureTableSharedKey("account", "a2V5");
        Assert.Equal(
            SharedKeyLitePolicy.Sign(key, service.Headers["x-ms-date"], new Uri("https://account.table.core.windows.net/rows")),
            service.Headers["Authorization"]);
    }

    [Fact]
    public async Task A_credential_is_asked_for_a_token_of_the_scope()
    {
        var service = new FakeService(FakeService.Applied);
        var credential = new FixedCredential();
        using var store = service.Open(
            o => o with { SharedKey = null, Credential = credential, TokenScope = "https://tables.example/.default" });

        var write = await store.WriteAsync("k", default, null, Stop);

        Assert.Equal(StoreWriteOutcome.Applied, write.Outcome);
        Assert.Equal("Bearer the-token", service.Headers["Authorization"]);
        Assert.Equal("https://tables.example/.default", credential.Scope);
    }

    [Fact]
    public async Task A_credential_that_gives_no_token_makes_outcomes_unknown()
    {
        var service = new FakeService();
        using var store = service.Open(o => o with { SharedKey = null, Credential = new FixedCredential { Fails = true } });

        var write = await store.WriteAsync("k", default, null, Stop);

        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.Contains("no identity here", write.Reason, StringComparison.Ordinal);
        Assert.Empty(service.Sent);
    }

    private sealed class FixedCredential : TokenCredential
    {
        public bool Fails { get; init; }

        public string? Scope { get; private set; }

        public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken)
        {
            Scope = requestContext.Scopes.Single();
            return Fails
                ? throw new AuthenticationFailedException("no identity here")
                : new AccessToken("the-token", DateTimeOffset.MaxValue);
        }

        public override ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
            new(GetToken(requestContext, cancellationToken));
    }
}
