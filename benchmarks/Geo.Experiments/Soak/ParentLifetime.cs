using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.Soak;

/// <summary>The lifetime of a host in a child process: the parent says when it ends, and no signal to the whole group does.</summary>
internal sealed class ParentLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
