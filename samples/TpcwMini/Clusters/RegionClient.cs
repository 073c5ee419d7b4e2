using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using TpcwMini.Hosting;

namespace TpcwMini.Clusters;

/// <summary>
/// The client of one region's robots, connected to that region's gateways and no other; several where the robots are more than may call
/// through one.
/// </summary>
internal sealed class RegionClient : IAsyncDisposable
{
    // A gateway runs 16,384 calls of one client at most, and refuses more.
    private const int RobotsOfOne = 16_000;

    private readonly IHost[] _hosts;
    private readonly IGrainFactory[] _grains;
    private uint _next;

    private RegionClient(IHost[] hosts) =>
        (_hosts, _grains) = (hosts, [.. hosts.Select(host => host.Services.GetRequiredService<IGrainFactory>())]);

    /// <summary>Each client in its turn.</summary>
    public IGrainFactory Grains => _grains[Interlocked.Increment(ref _next) % _grains.Length];

    public static async Task<RegionClient> ConnectAsync(
        string cluster, IReadOnlyList<string> gateways, int robots, TimeSpan callTimeout, CancellationToken cancellationToken) =>
        new(await Task.WhenAll(Enumerable.Range(0, 1 + ((robots - 1) / RobotsOfOne))
            .Select(_ => ConnectAsync(cluster, gateways, callTimeout, cancellationToken))));

    private static async Task<IHost> ConnectAsync(
        string cluster, IReadOnlyList<string> gateways, TimeSpan callTimeout, CancellationToken cancellationToken)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.SetMinimumLevel(LogLevel.None);
        ThisHost.AddClient(builder, cluster, gateways, callTimeout);
        var host = builder.Build();
        await host.StartAsync(cancellationToken);
        return host;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var host in _hosts)
        {
            await host.StopAsync();
            host.Dispose();
        }
    }
}
