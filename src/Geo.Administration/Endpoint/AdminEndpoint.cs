using System.Net;
using System.Security.Cryptography.X509Certificates;
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
    AdminRequests requests, IOptions<GeoAdministrationOptions> options, ILoggerFactory loggers)
    : IHostedService, IAsyncDisposable, IGeoAdminEndpoint
{
    private const int MaxRequestBytes = 8 * 1024;

    private static readonly TimeSpan HeaderTimeout = TimeSpan.FromSeconds(10);

    private readonly ILogger _logger = loggers.CreateLogger<AdminEndpoint>();
    private WebApplication? _server;

    public Uri? Address { get; private set; }

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var settings = options.Value;

        // Nothing from files or the environment: what the application's own web server is told is not for this one.
        var builder = WebApplication.CreateEmptyBuilder(new());
        builder.Services.AddSingleton(loggers);
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

    private static void Configure(KestrelServerOptions kestrel, GeoAdministrationOptions settings)
    {
        kestrel.AddServerHeader = false;
        kestrel.Limits.MaxConcurrentConnections = settings.MaxConnections;
        kestrel.Limits.MaxRequestBodySize = 0;
        kestrel.Limits.MaxRequestLineSize = MaxRequestBytes;
        kestrel.Limits.MaxRequestHeadersTotalSize = MaxRequestBytes;
        kestrel.Limits.RequestHeadersTimeout = HeaderTimeout;
        kestrel.Listen(IPEndPoint.Parse(settings.ListenOn), listen =>
        {
            if (settings.CertificateFile is { } file)
            {
                listen.UseHttps(Load(file, settings.CertificateKeyFile));
            }
        });
    }

    private static X509Certificate2 Load(string file, string? keyFile)
    {
        try
        {
            return X509Certificate2.CreateFromPemFile(file, keyFile ?? file);
        }
        catch (Exception e) when (e is System.Security.Cryptography.CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new GeoConfigurationException($"The certificate of the admin endpoint cannot be used: {file}: {e.Message}", e);
        }
    }

    private Task ServeAsync(HttpContext request, KeyCheck check)
    {
        if (check.Passes(request.Request.Headers.Authorization))
        {
            return requests.HandleAsync(request);
        }

        AdministrationLog.WrongKey(_logger, request.Connection.RemoteIpAddress?.ToString() ?? "here");
        return AdminRequests.WriteAsync(
            request.Response, StatusCodes.Status401Unauthorized, new Fault("The request's key is not the one that is set for this silo."));
    }
}
