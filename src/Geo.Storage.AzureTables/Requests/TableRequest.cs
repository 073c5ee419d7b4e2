using Azure.Core;

namespace Geo.Storage.AzureTables;

/// <summary>One request to the table service.</summary>
/// <param name="Method">Its method.</param>
/// <param name="Address">Its address.</param>
internal sealed record TableRequest(RequestMethod Method, Uri Address)
{
    /// <summary>JSON to send.</summary>
    public ReadOnlyMemory<byte>? Body { get; init; }

    /// <summary>The etag to expect.</summary>
    public ETag? Expected { get; init; }

    /// <summary>It changes nothing: it may be sent again after any failure.</summary>
    public bool IsRead => Method == RequestMethod.Get;
}
