using System.Globalization;
using Azure;
using Azure.Core;
using Azure.Core.Pipeline;
using Azure.Identity;

namespace Geo.Storage.AzureTables;

/// <summary>
/// Sends requests, each attempt with a time limit, and sends again only what can be sent again without a change of what the outcome says.
/// </summary>
/// <remarks>
/// Reads: after every failure that may pass. Writes: only when the service itself says that it turned the request away for its load.
/// A write that was sent and not answered is never sent again: had it taken effect, then the second one would conflict with the first.
/// </remarks>
internal sealed class TableSender(HttpPipeline pipeline, AzureTableStoreOptions options, TimeProvider time)
{
    private const string Version = "2019-02-02";
    private const string NextPartition = "x-ms-continuation-NextPartitionKey";
    private const string NextRow = "x-ms-continuation-NextRowKey";

    /// <summary>Sends a request and gives what it ended with.</summary>
    /// <exception cref="OperationCanceledException">The caller gave up, and the request certainly has no effect.</exception>
    public async ValueTask<TableReply> SendAsync(TableRequest request, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var followsBusy = false;
        for (var attempt = 0; ; attempt++)
        {
            var reply = await SendOnceAsync(request, cancellationToken).ConfigureAwait(false);
            var wait = reply.RetryAfter
                ?? BackOff.AfterFailures(attempt + 1, options.RetryDelay, options.MaxRetryDelay, Random.Shared);
            if (attempt == options.MaxRetries || !MayRepeat(request, reply) || wait > options.MaxRetryDelay)
            {
                return reply with { FollowsBusy = followsBusy };
            }

            followsBusy |= reply.Status == 503;
            try
            {
                await Task.Delay(wait, time, cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (followsBusy && !request.IsRead)
            {
                return reply;
            }
        }
    }

    private static bool MayRepeat(TableRequest request, TableReply reply) =>
        reply.IsThrottled || (request.IsRead && reply.Status is 0 or 408 or >= 500);

    private async Task<TableReply> SendOnceAsync(TableRequest request, CancellationToken cancellationToken)
    {
        using var late = new CancellationTokenSource(options.Timeout, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        using var message = Create(request);
        try
        {
            await pipeline.SendAsync(message, either.Token).ConfigureAwait(false);
            return ReplyOf(message.Response);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return TableReply.Failed($"the table service did not answer within {options.Timeout}");
        }
        catch (OperationCanceledException) when (!request.IsRead)
        {
            return TableReply.Failed("cancelled while it was being written");
        }
        catch (Exception e) when (e is RequestFailedException or IOException or HttpRequestException)
        {
            return TableReply.Failed($"the table service could not be reached, or broke off: {e.Message}");
        }
        catch (AuthenticationFailedException e)
        {
            return TableReply.Failed($"the credential gave no token: {e.Message}");
        }
    }

    private HttpMessage Create(TableRequest request)
    {
        var message = pipeline.CreateMessage();
        message.BufferResponse = true;
        message.Request.Method = request.Method;
        message.Request.Uri.Reset(request.Address);
        var headers = message.Request.Headers;
        headers.Add("x-ms-version", Version);
        headers.Add("DataServiceVersion", "3.0;NetFx");
        headers.Add("MaxDataServiceVersion", "3.0;NetFx");
        headers.Add(HttpHeader.Names.Accept, "application/json;odata=minimalmetadata");
        if (request.Expected is { } etag)
        {
            headers.Add(HttpHeader.Names.IfMatch, etag.Value);
        }

        if (request.Body is { } body)
        {
            headers.Add(HttpHeader.Names.ContentType, "application/json");
            headers.Add("Prefer", "return-no-content");
            message.Request.Content = RequestContent.Create(body);
        }
        else if (!request.IsRead)
        {
            // .NET's client sends a request without content again by itself when a kept connection breaks; one with content it never does.
            message.Request.Content = RequestContent.Create(ReadOnlyMemory<byte>.Empty);
        }

        return message;
    }

    private TableReply ReplyOf(Response response)
    {
        ReadOnlyMemory<byte> content = response.ContentStream is null ? default : response.Content.ToMemory();
        if (response.Status is >= 200 and < 300)
        {
            return new(response.Status, null, null)
            {
                Content = content,
                ETag = response.Headers.TryGetValue("ETag", out var etag) ? etag : null,
                Continuation = Continuation(response),
            };
        }

        var code = TableReply.ErrorCode(content);
        return new(response.Status, code, $"the table service answered {response.Status} {code ?? response.ReasonPhrase}")
        {
            RetryAfter = RetryAfter(response),
        };
    }

    private TimeSpan? RetryAfter(Response response)
    {
        if (!response.Headers.TryGetValue("Retry-After", out var text))
        {
            return null;
        }

        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds))
        {
            return TimeSpan.FromSeconds(seconds);
        }

        return DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var at)
            ? Max(at - time.GetUtcNow(), TimeSpan.Zero)
            : null;
    }

    private static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;

    private static string? Continuation(Response response)
    {
        if (!response.Headers.TryGetValue(NextPartition, out var partition))
        {
            return null;
        }

        var row = response.Headers.TryGetValue(NextRow, out var next) ? $"&NextRowKey={Uri.EscapeDataString(next)}" : "";
        return $"&NextPartitionKey={Uri.EscapeDataString(partition)}{row}";
    }
}
