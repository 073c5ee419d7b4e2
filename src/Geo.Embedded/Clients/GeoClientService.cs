using Microsoft.Extensions.Hosting;

namespace Geo.Embedded;

/// <summary>Connects a client with the host that it lives in; does not wait, so that a host starts before its gateways.</summary>
internal sealed class GeoClientService(GeoClient client) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken) => client.StartAsync(cancellationToken).AsTask();

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
