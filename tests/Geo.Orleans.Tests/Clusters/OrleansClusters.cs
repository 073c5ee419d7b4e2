using System.Collections.Concurrent;
using System.Net;
using Geo.Testing.Storage;
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
    private readonly ConcurrentDictionary<string, FaultyConditionalStore> _rows = new();
    private readonly ConcurrentDictionary<(string Cluster, int Silo), FaultyConditionalStore> _ways = new();

    private OrleansClusters(OrleansClustersOptions options)
    {
        _options = options;
        var free = new Queue<int>(FreePorts.Take(3 * options.Clusters.Sum(options.SilosOf)));
        _ports = options.Clusters.ToDictionary(
            cluster => cluster,
            cluster => Enumerable.Range(0, options.SilosOf(cluster))
                .Select(_ => new SiloPorts(free.Dequeue(), free.Dequeue(), free.Dequeue())).ToArray());
        _links = _ports.Values.SelectMany(ports => ports).ToDictionary(
            ports => ports.Geo,
            ports => DelayedLink.Start(new() { Target = new IPEndPoint(IPAddress.Loopback, ports.Geo), OneWayDelay = options.OneWayDelay, MaxBytesUnderWay = options.MaxBytesUnderWay }));
    }

    /// <summary>The store that all clusters share, for versions.</summary>
    public FaultyConditionalStore Shared { get; } = new(new InMemoryConditionalStore(), new(), new Random(2), TimeProvider.System);

    public static async Task<OrleansClusters> StartAsync(OrleansClustersOptions? options = null)
    {
        var clusters = new OrleansClusters(options ?? new());
        await Task.WhenAll(clusters._options.Clusters.Select(clusters.StartClusterAsync));

        // Before that a round finds the other clusters unreachable, and an optimistic grain may start in each.
        await Eventually.Is(true, () => Task.FromResult(clusters.AreLinked()));
        return clusters;
    }

    /// <summary>The store of a cluster's directory rows and leases; it outlives the cluster's silos.</summary>
    public FaultyConditionalStore RowsOf(string cluster) =>
        _rows.GetOrAdd(cluster, _ => new FaultyConditionalStore(new InMemoryConditionalStore(), new(), new Random(1), TimeProvider.System));

    /// <summary>The way of one silo to its cluster's rows.</summary>
    public FaultyConditionalStore WayToRows(string cluster, int silo) =>
        _ways.GetOrAdd((cluster, silo), _ => new FaultyConditionalStore(RowsOf(cluster), new(), new Random(1), TimeProvider.System));

    public IReadOnlyList<OrleansSilo> SilosOf(string cluster) => _silos[cluster];

    /// <summary>Where other clusters reach the silos of one.</summary>
    public IReadOnlyList<IPEndPoint> EntryPointsOf(string cluster) => [.. _ports[cluster].Select(ports => _links[ports.Geo].ListeningOn)];

    /// <summary>A grain factory of one silo, which calls through that silo.</summary>
    public IGrainFactory Grains(string cluster, int silo = 0) => _silos[cluster][silo].Grains;

    /// <summary>An external client of one cluster, over its first silo's gateway or all gateways.</summary>
    public async Task<IClusterClient> ConnectAsync(
        string cluster, bool useGeo, bool everyGateway = false, Action<ClientMessagingOptions>? messaging = null)
    {
        var gateways = _ports[cluster].Take(everyGateway ? int.MaxValue : 1).Select(ports => ports.Gateway).ToArray();
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseOrleansClient(client =>
        {
            client.UseLocalhostClustering(gateways, serviceId: "geo-tests", clusterId: cluster);
            if (useGeo)
            {
                client.UseGeo();
            }

            client.Configure<ClientMessagingOptions>(messaging ?? (_ => { }));
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

    /// <summary>Ends all silos of a cluster without letting them say goodbye.</summary>
    public async Task KillAsync(string cluster)
    {
        foreach (var silo in Enumerable.Reverse(_silos[cluster]))
        {
            await silo.KillAsync();
        }
    }

    /// <summary>Starts a cluster anew, at the same addresses and over the same rows.</summary>
    public async Task RestartAsync(string cluster)
    {
        _silos[cluster].Clear();
        await StartSilosAsync(cluster);
    }

    private bool AreLinked() => _silos.All(cluster => cluster.Value.TrueForAll(silo =>
        _silos.Keys.All(other => other == cluster.Key || silo.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId(other)))));

    private Task StartClusterAsync(string cluster)
    {
        lock (_silos)
        {
            _silos.Add(cluster, []);
        }

        return StartSilosAsync(cluster);
    }

    private async Task StartSilosAsync(string cluster)
    {
        var ports = _ports[cluster];
        var primary = new IPEndPoint(IPAddress.Loopback, ports[0].Silo);
        foreach (var own in ports)
        {
            _silos[cluster].Add(await OrleansSilo.StartAsync(own, primary, cluster, silo => Configure(silo, cluster, own)));
        }
    }

    private void Configure(ISiloBuilder silo, string cluster, SiloPorts own)
    {
        if (_options.LosesSilos)
        {
            silo.Configure<ClusterMembershipOptions>(OrleansSilo.DetectSoon);
        }

        _options.Silo(silo);
        silo.UseGeo(geo =>
        {
            geo.UseRowStore(_ => WayToRows(cluster, Array.IndexOf(_ports[cluster], own))).AddStore(GeoStorage.Default, _ => Shared).ConfigureDirectory(_options.Directory);
            geo.Configure(options =>
            {
                options.LeaseDuration = _options.LeaseDuration;
                options.ClusterId = cluster;
                options.ListenOn = _options.DialOutOnly.Contains(cluster) ? null : $"127.0.0.1:{own.Geo}";
                foreach (var other in _options.Clusters.Where(other => other != cluster))
                {
                    options.Clusters[other] = _options.DialOutOnly.Contains(other)
                        ? []
                        : [.. _ports[other].Select(entry => _links[entry.Geo].ListeningOn.ToString())];
                }

                _options.Settings(options);
            });
            _options.Geo(geo);
        });
        _options.Services(silo.Services);
    }
}
