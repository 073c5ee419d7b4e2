using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Administration;

/// <summary>
/// The admin endpoint: a server of its own, whatever else the process serves, so that neither its address nor its key is shared with the
/// application's.
/// </summary>
internal sealed class AdminEndpoint(
    AdminRequests requests, IOptions<GeoAdministrationOptions> options, TimeProvider time, ILoggerFactory loggers)
    : IHostedService, IAsyncDisposable, IGeoAdminEndpoint
{
    private const int MaxRequestBytes = 8 * 1024;

    // What holds a connection without asking anything gives its place back.
    private static readonly TimeSpan IdleTimeout = TimeSpan.FromSeconds(10);

    private readonly ILogger _logger = loggers.CreateLogger<AdminEndpoint>();
    private readonly TimeProvider _time = time;
    private readonly Occasionally _refusals = new(time);
    private WebApplication? _server;

    public Uri? Address { get; private set; }

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var settings = options.Value;

        // Nothing from files or the environment: what the application's own web server is told is not for this one.
        var builder = WebApplication.CreateEmptyBuilder(new());
        builder.Services.AddSingleton(loggers);
        builder.Services.AddSingleton<IHostLifetime, GuestLifetime>();
        builder.WebHost.UseKestrelCore().UseKestrelHttpsConfiguration().ConfigureKestrel(kestrel => Configure(kestrel, settings));
        var server = builder.Build();
        var check = new KeyCheck(settings.Key);
        server.Run(request => ServeAsync(request, check));
        try
        {
            await server.StartAsync(cancellationToken);
        }
        catch (IOException e)
        {
            await server.DisposeAsync();
            throw new GeoConfigurationException($"The admin endpoint cannot listen on {settings.ListenOn}: {e.Message}", e);
        }

        _server = server;
        Address = new(server.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());
        AdministrationLog.Listening(_logger, Address.ToString());
    }

    public Task StopAsync(CancellationToken cancellationToken) => _server?.StopAsync(cancellationToken) ?? Task.CompletedTask;

    public ValueTask DisposeAsync() => _server?.DisposeAsync() ?? default;

    private void Configure(KestrelServerOptions kestrel, GeoAdministrationOptions settings)
    {
        kestrel.AddServerHeader = false;
        kestrel.Limits.MaxConcurrentConnections = settings.MaxConnections;
        kestrel.Limits.MaxRequestBodySize = 0;
        kestrel.Limits.MaxRequestLineSize = MaxRequestBytes;
        kestrel.Limits.MaxRequestHeadersTotalSize = MaxRequestBytes;
        kestrel.Limits.RequestHeadersTimeout = IdleTimeout;
        kestrel.Limits.KeepAliveTimeout = IdleTimeout;
        kestrel.Listen(IPEndPoint.Parse(settings.ListenOn), listen =>
        {
            if (settings.CertificateFile is { } file)
            {
                var certificate = new EndpointCertificate(file, settings.CertificateKeyFile ?? file, _time, _logger);
                certificate.Current();
                listen.UseHttps(https => https.ServerCertificateSelector = (_, _) => certificate.Current());
            }
        });
    }

    private Task ServeAsync(HttpContext request, KeyCheck check)
    {
        if (check.Passes(request.Request.Headers.Authorization))
        {
            return requests.HandleAsync(request);
        }

        if (_refusals.IsDue(out var sinceLast))
        {
            AdministrationLog.WrongKey(_logger, request.Connection.RemoteIpAddress?.ToString() ?? "here", sinceLast);
        }

        request.Response.Headers.Connection = "close";
        return AdminRequests.WriteAsync(
            request.Response, StatusCodes.Status401Unauthorized, new Fault("The request's key is not the one that is set for this silo."));
    }
}
