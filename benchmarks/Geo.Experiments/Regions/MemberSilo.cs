using ByteArraySample;
using Geo.Directory;
using Geo.Processes;
using Geo.Storage.Quorum;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Geo.Experiments.Regions;

/// <summary>
/// The silo of one of several regions, which keep by majority who owns what, and what that holds; benchmarks/Geo.Experiments.Orleans has
/// the same on Orleans.
/// </summary>
internal sealed class MemberSilo : IAsyncDisposable
{
    private const string Configurations = "configuration";

    private readonly IHost _host;
    private readonly IGeoSilo _silo;

    private MemberSilo(IHost host) => (_host, _silo) = (host, host.Services.GetRequiredService<IGeoSilo>());

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    /// <summary>Where other regions find it.</summary>
    public string Address => _silo.ListeningOn!.ToString()!;

    public IGeoConfiguration? Configuration => _silo.Configuration;

    /// <param name="settings">The regions.</param>
    /// <param name="rows">This region's part of what all keep.</param>
    /// <param name="configuration">What has the configuration; null where that stays as it is.</param>
    public static async Task<MemberSilo> StartAsync(MemberSettings settings, IConditionalStore rows, IConditionalStore? configuration)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.AddProvider(new StandardErrorLog());
        builder.UseGeoEmbedded(geo =>
        {
            geo.Configure(silo =>
            {
                (silo.ClusterId, silo.ListenOn) = (settings.Name, "127.0.0.1:0");
                silo.Quorum = silo.Quorum with { Store = GeoStorage.Default };
                foreach (var (name, address) in settings.Others)
                {
                    silo.Clusters[name] = address is null ? [] : [address];
                }
            });
            geo.AddGrain<Ledger>().AddGrain<SingleStoredArray>().AddGrain<Resident>().AddGrain<MajorityResident>();
            geo.AddQuorumStore(GeoStorage.Default, settings.Others.Keys.Append(settings.Name).Order(StringComparer.Ordinal), _ => rows);
            if (configuration is not null)
            {
                geo.AddStore(Configurations, _ => configuration).Configure(silo => silo.ConfigurationStore = Configurations);
            }
        });
        var host = builder.Build();
        await host.StartAsync();
        return new MemberSilo(host);
    }

    /// <summary>True while the other region can be reached.</summary>
    public bool IsLinkedTo(string region) => _silo.IsLinkedTo(new ClusterId(region));

    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        _host.Dispose();
    }
}
