using Microsoft.Extensions.Hosting;

namespace Geo.Administration;

/// <summary>The lifetime of a server within another host: that host hears the process's signals, and stops it.</summary>
internal sealed class GuestLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
