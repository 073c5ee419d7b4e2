using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Geo.Administration;

/// <summary>Serves the dashboard: three embedded files, and the data that they show.</summary>
internal sealed class Dashboard(
    OverviewFeed feed, GrainSearch search, IOptions<GeoAdministrationOptions> options, IHostApplicationLifetime lifetime, TimeProvider time)
{
    // Nothing from elsewhere, nothing inline, and in nobody's frame.
    private const string Policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'";

    private int _viewers;

    /// <summary>The page.</summary>
    public static Task PageAsync(HttpContext context)
    {
        context.Response.Headers.ContentSecurityPolicy = Policy;
        context.Response.Headers["Referrer-Policy"] = "no-referrer";

        // Where it was asked for: it may be mapped within a group.
        var root = HtmlEncoder.Default.Encode((context.Request.PathBase + context.Request.Path).Value!.TrimEnd('/'));
        return FileAsync(context, "dashboard.html", "text/html", page => page.Replace("@root", root, StringComparison.Ordinal));
    }

    /// <summary>One of the embedded files.</summary>
    public static async Task FileAsync(HttpContext context, string name, string type, Func<string, string>? change = null)
    {
        await using var file = typeof(Dashboard).Assembly.GetManifestResourceStream($"Geo.Administration.Dashboard.{name}")!;
        using var reader = new StreamReader(file);
        var text = await reader.ReadToEndAsync(context.RequestAborted);
        context.Response.ContentType = $"{type}; charset=utf-8";
        context.Response.Headers.CacheControl = "no-cache";
        context.Response.Headers.XContentTypeOptions = "nosniff";
        await context.Response.WriteAsync(change?.Invoke(text) ?? text, context.RequestAborted);
    }

    /// <summary>An overview a second, as server-sent events, for as long as the viewer stays.</summary>
    public async Task EventsAsync(HttpContext context)
    {
        var most = options.Value.MaxViewers;
        if (Interlocked.Increment(ref _viewers) > most)
        {
            Interlocked.Decrement(ref _viewers);
            await AdminRequests.WriteAsync(
                context.Response, StatusCodes.Status503ServiceUnavailable, new Fault($"{most} others are watching already."));
            return;
        }

        // A web server that stops waits for its requests, and a silo that is stopped after it has no time left.
        using var end = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, lifetime.ApplicationStopping);
        try
        {
            context.Response.ContentType = "text/event-stream";
            context.Response.Headers.CacheControl = "no-store";
            while (!end.IsCancellationRequested)
            {
                await context.Response.WriteAsync(await EventAsync(end.Token), end.Token);
                await context.Response.Body.FlushAsync(end.Token);
                await Task.Delay(OverviewFeed.Interval, time, end.Token);
            }
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // The viewer has left, or the application stops.
        }
        finally
        {
            Interlocked.Decrement(ref _viewers);
        }
    }

    /// <summary>Where a grain is.</summary>
    public async Task GrainAsync(HttpContext context)
    {
        try
        {
            var answer = await search.FindAsync(GrainKey.Parse(context.Request.Query["key"].ToString()), context.RequestAborted);
            await AdminRequests.WriteAsync(context.Response, StatusCodes.Status200OK, answer);
        }
        catch (FormatException e)
        {
            await AdminRequests.WriteAsync(context.Response, StatusCodes.Status400BadRequest, new Fault(e.Message));
        }
        catch (GeoException e)
        {
            await AdminRequests.WriteAsync(context.Response, StatusCodes.Status503ServiceUnavailable, new Fault(e.Message));
        }
    }

    private async Task<string> EventAsync(CancellationToken cancellationToken)
    {
        try
        {
            return $"data: {JsonSerializer.Serialize(await feed.ReadAsync(cancellationToken), AdminJson.Options)}\n\n";
        }
        catch (Exception e) when (e is GeoException or InvalidOperationException)
        {
            return $"event: trouble\ndata: {JsonSerializer.Serialize(new Fault(e.Message), AdminJson.Options)}\n\n";
        }
    }
}
