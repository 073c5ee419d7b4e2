using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Clusters;

/// <summary>
/// A silo in this process that knows no other cluster and has seen nothing of the run: what it reads is what is stored.
/// </summary>
internal sealed class Inspector : IAsyncDisposable
{
    private const string Cluster = "inspector";
    private readonly IHost _host;

    private Inspector(IHost host) => _host = host;

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public static async Task<Inspector> StartAsync(RunOptions options, string account, CancellationToken cancellationToken)
    {
        var host = SiloHost.Build(new ClusterSettings
        {
            Cluster = Cluster,
            Others = new Dictionary<string, IReadOnlyList<string>>(),
            Listens = false,
            Variant = options.Variant,
            Account = account,
        });
        await host.StartAsync(cancellationToken);
        return new Inspector(host);
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
