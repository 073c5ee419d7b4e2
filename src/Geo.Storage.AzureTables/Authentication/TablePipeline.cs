using Azure.Core;
using Azure.Core.Pipeline;

namespace Geo.Storage.AzureTables;

/// <summary>Builds the pipeline that requests go through.</summary>
internal static class TablePipeline
{
    // A fresh connection now and then follows a change of the account's address.
    private static readonly TimeSpan ConnectionLifetime = TimeSpan.FromMinutes(5);

    /// <summary>A pipeline, and what to dispose of with it.</summary>
    public static (HttpPipeline Pipeline, IDisposable? Owned) Build(AzureTableStoreOptions options, TimeProvider time)
    {
        HttpClientTransport? own = options.Transport is null
            ? new HttpClientTransport(new HttpClient(new SocketsHttpHandler
            {
                AllowAutoRedirect = false,
                UseCookies = false,
                MaxConnectionsPerServer = options.MaxConnections,
                PooledConnectionLifetime = ConnectionLifetime,
            })
            { Timeout = Timeout.InfiniteTimeSpan })
            : null;
        var client = new TableClientOptions
        {
            Transport = options.Transport ?? own!,

            // Only TableSender knows which request may be sent again without a change of its outcome.
            Retry = { MaxRetries = 0, NetworkTimeout = options.Timeout * 2 },
        };
        HttpPipelinePolicy authentication = options switch
        {
            { SharedKey: { } key } => new SharedKeyLitePolicy(key, time),
            { SharedAccessSignature: { } signature } => new SignaturePolicy(signature),
            _ => new BearerTokenAuthenticationPolicy(options.Credential!, options.TokenScope),
        };
        return (HttpPipelineBuilder.Build(client, [], [authentication], new ResponseClassifier()), own);
    }

    private sealed class TableClientOptions : ClientOptions;
}
