using System.Net;
using Geo;
using Geo.Orleans;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace ChatRoomSample;

/// <summary>One region: an Orleans cluster of one silo, joined with the others by Geo.</summary>
internal sealed class Region : IAsyncDisposable
{
    private readonly IHost _host;
    private readonly IGeoSilo _geo;

    private Region(IHost host) => (_host, _geo) = (host, host.Services.GetRequiredService<IGeoSilo>());

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public IPEndPoint ListeningOn => IPEndPoint.Parse(_geo.ListeningOn!.ToString());

    public bool IsLinkedTo(string region) => _geo.IsLinkedTo(new ClusterId(region));

    /// <param name="name">The region's name.</param>
    /// <param name="others">The other regions, with where they are reached; nowhere for one that dials in.</param>
    /// <param name="storage">Where all regions keep the rooms.</param>
    public static async Task<Region> StartAsync(string name, Dictionary<string, List<string>> others, IConditionalStore storage)
    {
        var ports = FreePorts.Take(2);
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseOrleans(silo =>
        {
            silo.UseLocalhostClustering(ports[0], ports[1], serviceId: "chat", clusterId: name);
            silo.UseGeo(geo => geo
                .UseRowStore(_ => new InMemoryConditionalStore())
                .AddStore(GeoStorage.Default, _ => storage)
                .Configure(options =>
                {
                    options.ClusterId = name;
                    options.ListenOn = "127.0.0.1:0";
                    foreach (var (other, addresses) in others)
                    {
                        options.Clusters[other] = addresses;
                    }
                }));
        });
        var host = builder.Build();
        await host.StartAsync();
        return new Region(host);
    }

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
