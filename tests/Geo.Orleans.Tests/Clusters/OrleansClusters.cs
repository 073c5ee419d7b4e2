using System.Collections.Concurrent;
using System.Net;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Clusters;

/// <summary>Several Orleans clusters of real silos, joined by Geo over loopback TCP.</summary>
internal sealed class OrleansClusters : IAsyncDisposable
{
    private readonly Dictionary<string, List<OrleansSilo>> _silos = [];
    private readonly Dictionary<string, SiloPorts[]> _ports;
    private readonly OrleansClustersOptions _options;
    private readonly List<IHost> _clients = [];
    private readonly Dictionary<int, DelayedLink> _links;
    private readonly ConcurrentDictionary<string, InMemoryConditionalStore> _rows = new();

    private OrleansClusters(OrleansClustersOptions options)
    {
        _options = options;
        var free = new Queue<int>(FreePorts.Take(3 * options.Silos * options.Clusters.Count));
        _ports = options.Clusters.ToDictionary(
            cluster => cluster,
            _ => Enumerable.Range(0, options.Silos).Select(_ => new SiloPorts(free.Dequeue(), free.Dequeue(), free.Dequeue())).ToArray());
        _links = _ports.Values.SelectMany(ports => ports).ToDictionary(
            ports => ports.Geo,
            ports => DelayedLink.Start(new() { Target = new IPEndPoint(IPAddress.Loopback, ports.Geo), OneWayDelay = options.OneWayDelay }));
    }

    /// <summary>The store that all clusters share, for versions.</summary>
    public InMemoryConditionalStore Shared { get; } = new();

    public static async Task<OrleansClusters> StartAsync(OrleansClustersOptions? options = null)
    {
        var clusters = new OrleansClusters(options ?? new());
        await Task.WhenAll(clusters._options.Clusters.Select(clusters.StartClusterAsync));
        return clusters;
    }

    /// <summary>The store of a cluster's directory rows and leases.</summary>
    public InMemoryConditionalStore RowsOf(string cluster) => _rows.GetOrAdd(cluster, _ => new InMemoryConditionalStore());

    public IReadOnlyList<OrleansSilo> SilosOf(string cluster) => _silos[cluster];

    /// <summary>A grain factory of one silo, which calls through that silo.</summary>
    public IGrainFactory Grains(string cluster, int silo = 0) => _silos[cluster][silo].Grains;

    /// <summary>An external client of one cluster.</summary>
    public async Task<IClusterClient> ConnectAsync(string cluster, bool useGeo)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseOrleansClient(client =>
        {
            client.UseLocalhostClustering(_ports[cluster][0].Gateway, serviceId: "geo-tests", clusterId: cluster);
            if (useGeo)
            {
                client.UseGeo();
            }
        });
        var host = builder.Build();
        _clients.Add(host);
        await host.StartAsync();
        return host.Services.GetRequiredService<IClusterClient>();
    }

    /// <summary>Cuts all links between clusters.</summary>
    public void Cut(CutMode mode)
    {
        foreach (var link in _links.Values)
        {
            link.Cut(mode);
        }
    }

    /// <summary>Lets the clusters hear from each other again.</summary>
    public void Heal()
    {
        foreach (var link in _links.Values)
        {
            link.Heal();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var client in _clients)
        {
            await client.StopAsync();
            client.Dispose();
        }

        Heal();

        // The primary silo, which holds a cluster's membership, goes last.
        await Task.WhenAll(_silos.Values.Select(async silos =>
        {
            foreach (var silo in Enumerable.Reverse(silos))
            {
                await silo.DisposeAsync();
            }
        }));
        foreach (var link in _links.Values)
        {
            await link.DisposeAsync();
        }
    }

    private async Task StartClusterAsync(string cluster)
    {
        var rows = RowsOf(cluster);
        var silos = new List<OrleansSilo>();
        lock (_silos)
        {
            _silos.Add(cluster, silos);
        }

        var ports = _ports[cluster];
        var primary = new IPEndPoint(IPAddress.Loopback, ports[0].Silo);
        foreach (var own in ports)
        {
            silos.Add(await OrleansSilo.StartAsync(own, primary, cluster, silo =>
            {
                silo.Configure<ClusterMembershipOptions>(options =>
                {
                    options.ProbeTimeout = TimeSpan.FromSeconds(1);
                    options.NumMissedProbesLimit = 2;
                });
                silo.UseGeo(geo => geo
                    .UseRowStore(_ => rows)
                    .AddStore(GeoStores.Default, _ => Shared)
                    .ConfigureDirectory(_options.Directory)
                    .Configure(options =>
                    {
                        options.LeaseDuration = _options.LeaseDuration;
                        options.ClusterId = cluster;
                        options.ListenOn = $"127.0.0.1:{own.Geo}";
                        foreach (var other in _options.Clusters.Where(other => other != cluster))
                        {
                            options.Clusters[other] = [.. _ports[other].Select(entry => _links[entry.Geo].ListeningOn.ToString())];
                        }
                    }));
            }));
        }
    }
}
