using Geo.Directory;
using Geo.Processes;
using Geo.Storage.Quorum;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Experiments.Regions;

/// <summary>The silo of one of several regions; benchmarks/Geo.Experiments has the same on the embedded host.</summary>
internal sealed class MemberSilo : IAsyncDisposable
{
    private const string ServiceId = "regions";

    private readonly IHost _host;
    private readonly IGeoSilo _silo;

    private MemberSilo(IHost host) => (_host, _silo) = (host, host.Services.GetRequiredService<IGeoSilo>());

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    public string Address => _silo.ListeningOn!.ToString()!;

    public IGeoConfiguration? Configuration => _silo.Configuration;

    public static async Task<MemberSilo> StartAsync(MemberSettings settings, IConditionalStore rows, IConditionalStore? configuration)
    {
        if (configuration is not null)
        {
            throw new NotSupportedException("Grains of samples/ByteArray, which are in this program, do not follow a configuration.");
        }

        var ports = FreePorts.Take(2);
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.AddProvider(new StandardErrorLog());
        builder.UseOrleans(silo => silo
            .UseLocalhostClustering(ports[0], ports[1], null, ServiceId, settings.Name)
            .UseGeo(geo => geo
                .UseRowStore(_ => new InMemoryConditionalStore())
                .AddVolatileGrainStorage(GeoStorage.Volatile)
                .AddQuorumStore(GeoStorage.Default, settings.Others.Keys.Append(settings.Name).Order(StringComparer.Ordinal), _ => rows)
                .AddSharedGrainStorage(GeoStorage.Default)
                .ConfigureQuorum(new QuorumDirectoryOptions { Store = GeoStorage.Default })
                .Configure(options =>
                {
                    (options.ClusterId, options.ListenOn) = (settings.Name, "127.0.0.1:0");
                    foreach (var (name, address) in settings.Others)
                    {
                        options.Clusters[name] = address is null ? [] : [address];
                    }
                })));
        var host = builder.Build();
        await host.StartAsync();
        return new MemberSilo(host);
    }

    public bool IsLinkedTo(string region) => _silo.IsLinkedTo(new ClusterId(region));

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
