using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Azure.Core;
using Azure.Core.Pipeline;

namespace Geo.Storage.AzureTables;

/// <summary>Signs each attempt of a request by the scheme "SharedKeyLite" of the table service.</summary>
internal sealed class SharedKeyLitePolicy(AzureTableSharedKey key, TimeProvider time) : HttpPipelineSynchronousPolicy
{
    private const string DateHeader = "x-ms-date";

    public override void OnSendingRequest(HttpMessage message)
    {
        var date = time.GetUtcNow().ToString("R", CultureInfo.InvariantCulture);
        message.Request.Headers.SetValue(DateHeader, date);
        message.Request.Headers.SetValue(HttpHeader.Names.Authorization, Sign(key, date, message.Request.Uri.ToUri()));
    }

    /// <summary>The value of the Authorization header.</summary>
    internal static string Sign(AzureTableSharedKey key, string date, Uri uri)
    {
        var signature = HMACSHA256.HashData(key.Key, Encoding.UTF8.GetBytes(TextToSign(key.Account, date, uri)));
        return $"SharedKeyLite {key.Account}:{Convert.ToBase64String(signature)}";
    }

    /// <summary>The date and the resource; of the query only a component is part of it.</summary>
    internal static string TextToSign(string account, string date, Uri uri)
    {
        var component = uri.Query.TrimStart('?').Split('&').FirstOrDefault(part => part.StartsWith("comp=", StringComparison.Ordinal));
        return $"{date}\n/{account}{uri.AbsolutePath}{(component is null ? "" : "?" + component)}";
    }
}
