using Azure;
using Azure.Core;
using Azure.Core.Pipeline;

namespace Geo.Storage.AzureTables.Tests.Requests;

/// <summary>A table service of which a test says how it answers; the table is there. What it was sent is kept.</summary>
internal sealed class FakeService(params Func<CancellationToken, Task<Response>>[] answers) : HttpPipelineTransport
{
    private readonly Queue<Func<CancellationToken, Task<Response>>> _answers = new(answers);

    /// <summary>The requests after the one that makes sure of the table.</summary>
    public List<string> Sent { get; } = [];

    /// <summary>The headers of the last request.</summary>
    public Dictionary<string, string> Headers { get; } = new(StringComparer.OrdinalIgnoreCase);

    public AzureTableConditionalStore Open(Func<AzureTableStoreOptions, AzureTableStoreOptions>? configure = null)
    {
        var options = new AzureTableStoreOptions
        {
            Endpoint = new Uri("https://account.table.core.windows.net"),
            Table = "rows",
            SharedKey = new AzureTableSharedKey("account", "a2V5"),
            RetryDelay = TimeSpan.FromMilliseconds(1),
            Transport = this,
        };
        return new AzureTableConditionalStore(configure?.Invoke(options) ?? options);
    }

    public static Func<CancellationToken, Task<Response>> Answer(int status, string? code = null, params (string, string)[] headers) =>
        _ => Task.FromResult<Response>(new FakeResponse(status, code, headers));

    public static Func<CancellationToken, Task<Response>> Applied => Answer(204, null, ("ETag", "W/\"2\""));

    public static Func<CancellationToken, Task<Response>> Broken => _ => throw new IOException("the connection broke");

    public static Func<CancellationToken, Task<Response>> Silent => async stop =>
    {
        await Task.Delay(Timeout.Infinite, stop);
        throw new InvalidOperationException();
    };

    public override Request CreateRequest() => HttpClientTransport.Shared.CreateRequest();

    public override void Process(HttpMessage message) => throw new NotSupportedException();

    public override async ValueTask ProcessAsync(HttpMessage message)
    {
        if (message.Request.Uri.Path.EndsWith("/Tables", StringComparison.Ordinal))
        {
            message.Response = new FakeResponse(409, "TableAlreadyExists");
            return;
        }

        Sent.Add($"{message.Request.Method} {message.Request.Uri.ToUri().PathAndQuery}");
        Headers.Clear();
        foreach (var header in message.Request.Headers)
        {
            Headers[header.Name] = header.Value;
        }

        message.Response = await _answers.Dequeue()(message.CancellationToken);
    }
}
