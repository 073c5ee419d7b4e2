using System.Text.Json;

namespace Geo.Storage.AzureTables;

/// <summary>How a request ended: with an answer, or with a failure that tells nothing of its effect.</summary>
/// <param name="Status">The answer's status; 0 where there is no answer.</param>
/// <param name="Code">The service's own name for an error.</param>
/// <param name="Reason">What went wrong, for people.</param>
internal sealed record TableReply(int Status, string? Code, string? Reason)
{
    private const string ServerBusy = nameof(ServerBusy);

    /// <summary>The etag of what was read or written.</summary>
    public string? ETag { get; init; }

    /// <summary>The JSON of an answer without error.</summary>
    public ReadOnlyMemory<byte> Content { get; init; }

    /// <summary>Where the next page of a query begins: a part of its address.</summary>
    public string? Continuation { get; init; }

    /// <summary>How long the service asks to wait.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>
    /// An earlier attempt was answered "busy". The service says that it did nothing; should it have done so all the same, then this answer
    /// speaks of our own change.
    /// </summary>
    public bool FollowsBusy { get; init; }

    public bool IsSuccess => Status is >= 200 and < 300;

    /// <summary>The service turned the request away because of its load, before it had any effect.</summary>
    public bool IsThrottled => Status == 429 || (Status == 503 && Code == ServerBusy);

    /// <summary>The entity has another version than the one expected, or exists where none was.</summary>
    public bool IsConflict => Status == 412 || (Status == 409 && Code == "EntityAlreadyExists");

    /// <summary>There is no such entity, in a table that exists.</summary>
    public bool IsMissingEntity => Status == 404 && Code is ("ResourceNotFound" or "EntityNotFound");

    public static TableReply Failed(string reason) => new(0, null, reason);

    /// <summary>The error's name in the body of an answer; null where there is none.</summary>
    public static string? ErrorCode(ReadOnlyMemory<byte> content)
    {
        try
        {
            using var json = JsonDocument.Parse(content);
            return json.RootElement.TryGetProperty("odata.error", out var error) && error.TryGetProperty("code", out var code)
                ? code.GetString()
                : null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // Not from the table service itself: a proxy's page, or nothing.
            return null;
        }
    }
}
