using Azure.Core;
using Azure.Core.Pipeline;

namespace Geo.Storage.AzureTables;

/// <summary>Adds a shared access signature to the address of each attempt of a request.</summary>
internal sealed class SignaturePolicy(string signature) : HttpPipelineSynchronousPolicy
{
    private readonly string _query = Signature.Query(signature);

    public override void OnSendingRequest(HttpMessage message)
    {
        var uri = message.Request.Uri;
        uri.Query = uri.Query is { Length: > 0 } query ? $"{query}&{_query}" : $"?{_query}";
    }
}
