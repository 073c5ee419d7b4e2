using Geo.Directory;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Geo.Administration;

/// <summary>What the endpoint answers, by path. Questions are GET, orders POST.</summary>
internal sealed class AdminRequests(
    ISiloAccess silo, Overviews overviews, GrainSearch search, DoubtfulGrains doubtful, ConfigurationOrders configuration,
    KeeperOrders keepers, ILogger<AdminRequests> logger)
{
    private const string Config = "/geo/config/";
    private const string Keepers = "/geo/keepers/";

    /// <summary>Answers a request whose key was right.</summary>
    public async Task HandleAsync(HttpContext request)
    {
        try
        {
            var answer = await AnswerAsync(request.Request, request.RequestAborted);
            await WriteAsync(request.Response, answer is null ? StatusCodes.Status404NotFound : StatusCodes.Status200OK,
                answer ?? new Fault($"There is no {request.Request.Method} {request.Request.Path} here."));
        }
        catch (OperationCanceledException) when (request.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for the answer.
        }
        catch (Exception e) when (e is ArgumentException or FormatException or GeoConfigurationException)
        {
            await WriteAsync(request.Response, StatusCodes.Status400BadRequest, new Fault(e.Message.ReplaceLineEndings(" ")));
        }
        catch (Exception e) when (e is GeoException or InvalidOperationException)
        {
            AdministrationLog.RequestFailed(logger, e);
            await WriteAsync(request.Response, StatusCodes.Status503ServiceUnavailable, new Fault(e.Message.ReplaceLineEndings(" ")));
        }
    }

    /// <summary>Writes an answer.</summary>
    public static Task WriteAsync(HttpResponse response, int status, object answer)
    {
        response.StatusCode = status;
        response.Headers.CacheControl = "no-store";
        return response.WriteAsJsonAsync(answer, answer.GetType(), AdminJson.Options);
    }

    private async Task<object?> AnswerAsync(HttpRequest request, CancellationToken cancellationToken) =>
        (request.Method, request.Path.Value) switch
        {
            ("GET", "/geo/overview") => await overviews.ReadAsync(cancellationToken),
            ("GET", "/geo/grain") => await search.FindAsync(Grain(request), cancellationToken),
            ("GET", "/geo/doubtful") => await doubtful.ListAsync(request.Query["after"], cancellationToken),
            ("GET", "/geo/config") => await configuration.DescribeAsync(cancellationToken),
            ("POST", { } path) when path.StartsWith(Config, StringComparison.Ordinal) =>
                await configuration.OrderAsync(path[Config.Length..], request, cancellationToken),
            ("GET", "/geo/keepers") => await keepers.DescribeAsync(cancellationToken),
            ("POST", { } path) when path.StartsWith(Keepers, StringComparison.Ordinal) =>
                await keepers.OrderAsync(path[Keepers.Length..], request),
            ("POST", "/geo/resolve") => await OrderAsync(
                request, "resolve", key => silo.Administration.ResolveAsync(key, cancellationToken),
                "it has one owner now", "it stays as it is: a cluster is out of reach, or it is not Doubtful"),
            ("POST", "/geo/release") => await OrderAsync(
                request, "release", key => silo.Administration.ReleaseAsync(key, Text(request, "reason"), cancellationToken),
                "its row is gone; the next call places it anew",
                "this cluster has no instance of it, or a call took it up again meanwhile"),
            ("POST", "/geo/move") => await OrderAsync(
                request, "move",
                key => silo.Administration.MoveAsync(key, new ClusterId(Text(request, "to")), Text(request, "reason"), cancellationToken),
                "that cluster owns it now", "this cluster has no instance of it, that one did not take it, or another one was faster"),
            _ => null,
        };

    private async Task<Done> OrderAsync(
        HttpRequest request, string order, Func<GrainKey, ValueTask<bool>> carryOut, string done, string not)
    {
        var key = Grain(request);
        var applied = await carryOut(key);
        var text = applied ? done : not;
        AdministrationLog.Ordered(
            logger, request.HttpContext.Connection.RemoteIpAddress?.ToString() ?? "here", order, key, text);
        return new(applied, $"{key}: {text}.");
    }

    private static GrainKey Grain(HttpRequest request) => GrainKey.Parse(Text(request, "key"));

    private static string Text(HttpRequest request, string name) => request.Query[name].ToString() is { Length: > 0 } text
        ? text
        : throw new ArgumentException($"The request lacks '{name}'.");
}
