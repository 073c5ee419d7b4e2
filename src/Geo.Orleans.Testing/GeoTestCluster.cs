using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using Geo.Testing.Storage;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace Geo.Orleans.Testing;

/// <summary>
/// Several Orleans clusters of real silos in this process, joined by Geo over TCP on loopback, in the manner of Orleans' TestingHost. Each
/// cluster keeps its directory's rows in a store of its own, and all share one for versions; both, the links and the silos can fail as a
/// test wants it. Grain classes are those of the assemblies that the process's entry assembly refers to.
/// </summary>
public sealed class GeoTestCluster : IAsyncDisposable
{
    private static readonly TimeSpan LinkPoll = TimeSpan.FromMilliseconds(20);

    private readonly Dictionary<string, List<GeoTestSilo>> _silos = [];
    private readonly Dictionary<string, SiloPorts[]> _ports;
    private readonly GeoTestClusterOptions _options;
    private readonly List<IHost> _clients = [];

    // By the silo that dials and the silo that is dialled, each by its port; who dials from outside is 0.
    private readonly Dictionary<(int From, int To), DelayedLink> _links;
    private readonly ConcurrentDictionary<string, FaultyConditionalStore> _rows = new();
    private readonly ConcurrentDictionary<(string Cluster, int Silo), FaultyConditionalStore> _ways = new();

    private GeoTestCluster(GeoTestClusterOptions options)
    {
        _options = options;
        var free = new Queue<int>(FreePorts.Take(3 * options.Clusters.Sum(options.SilosOf)));
        _ports = options.Clusters.ToDictionary(
            cluster => cluster,
            cluster => Enumerable.Range(0, options.SilosOf(cluster))
                .Select(_ => new SiloPorts(free.Dequeue(), free.Dequeue(), free.Dequeue())).ToArray());
        _links = _ports.SelectMany(to => to.Value.SelectMany(entry => DiallersOf(to.Key).Select(from => (from, entry.Geo)))).ToDictionary(
            link => link,
            link => DelayedLink.Start(new()
            {
                Target = new IPEndPoint(IPAddress.Loopback, link.Geo),
                OneWayDelay = options.OneWayDelay,
                MaxBytesUnderWay = options.MaxBytesUnderWay,
            }));
    }

    /// <summary>The store that all clusters share, for versions: <see cref="GeoStorage.Default"/> of each silo.</summary>
    public FaultyConditionalStore Shared { get; } = new(new InMemoryConditionalStore(), new(), new Random(2), TimeProvider.System);

    /// <summary>Starts all silos, and waits until every one has a link with every other cluster.</summary>
    /// <param name="options">What the clusters are like; the defaults for null.</param>
    /// <exception cref="GeoConfigurationException">A setting cannot be.</exception>
    /// <exception cref="TimeoutException">Clusters have no link after <see cref="GeoTestClusterOptions.LinkTimeout"/>.</exception>
    public static async Task<GeoTestCluster> StartAsync(GeoTestClusterOptions? options = null)
    {
        var clusters = new GeoTestCluster(options ?? new());
        try
        {
            await Task.WhenAll(clusters._options.Clusters.Select(clusters.StartClusterAsync));

            // Before that a round finds the other clusters unreachable, and an optimistic grain may start in each.
            await clusters.LinkedAsync();
            return clusters;
        }
        catch
        {
            await clusters.DisposeAsync();
            throw;
        }
    }

    /// <summary>The store of a cluster's directory rows and leases; it outlives the cluster's silos.</summary>
    public FaultyConditionalStore RowsOf(string cluster) =>
        _rows.GetOrAdd(cluster, _ => new FaultyConditionalStore(_options.Rows(cluster), new(), new Random(1), TimeProvider.System));

    /// <summary>The way of one silo to its cluster's rows.</summary>
    public FaultyConditionalStore WayToRows(string cluster, int silo) =>
        _ways.GetOrAdd((cluster, silo), _ => new FaultyConditionalStore(RowsOf(cluster), new(), new Random(1), TimeProvider.System));

    /// <summary>The silos of a cluster, in the order of their start.</summary>
    public IReadOnlyList<GeoTestSilo> SilosOf(string cluster) => _silos[cluster];

    /// <summary>Where a silo that is started beside these reaches the silos of a cluster.</summary>
    public IReadOnlyList<IPEndPoint> EntryPointsOf(string cluster) => EntryPoints(cluster, from: 0);

    /// <summary>A grain factory of one silo, which calls through that silo.</summary>
    public IGrainFactory Grains(string cluster, int silo = 0) => _silos[cluster][silo].Grains;

    /// <summary>Connects an external client to one cluster; it ends with the clusters.</summary>
    /// <param name="cluster">The cluster.</param>
    /// <param name="useGeo">Whether the client uses Geo.</param>
    /// <param name="everyGateway">True for the gateways of all silos, false for that of the first.</param>
    /// <param name="messaging">Changes the client's waits.</param>
    public async Task<IClusterClient> ConnectAsync(
        string cluster, bool useGeo, bool everyGateway = false, Action<ClientMessagingOptions>? messaging = null)
    {
        var gateways = _ports[cluster].Take(everyGateway ? int.MaxValue : 1).Select(ports => ports.Gateway).ToArray();
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.UseOrleansClient(client =>
        {
            client.UseLocalhostClustering(gateways, serviceId: GeoTestSilo.ServiceId, clusterId: cluster);
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
    /// <param name="mode">Whether connections end, or carry nothing any more; they end by default.</param>
    public void Cut(CutMode mode = CutMode.Drop)
    {
        foreach (var link in _links.Values)
        {
            link.Cut(mode);
        }
    }

    /// <summary>Cuts all links of one silo with other clusters, whichever side dials; its siblings keep theirs.</summary>
    /// <remarks>
    /// Not for clusters with a ConfigurationStore: the first one writes its addresses of the others there, which then are all clusters'.
    /// </remarks>
    /// <param name="cluster">The silo's cluster.</param>
    /// <param name="silo">The silo.</param>
    /// <param name="mode">Whether connections end, or carry nothing any more; they end by default.</param>
    public void Cut(string cluster, int silo, CutMode mode = CutMode.Drop)
    {
        var port = _ports[cluster][silo].Geo;
        foreach (var (ends, link) in _links)
        {
            if (ends.From == port || ends.To == port)
            {
                link.Cut(mode);
            }
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

    /// <summary>Ends clients, silos and links.</summary>
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

    private async Task LinkedAsync()
    {
        using var timer = new PeriodicTimer(LinkPoll);
        var since = Stopwatch.GetTimestamp();
        while (!AreLinked())
        {
            if (Stopwatch.GetElapsedTime(since) > _options.LinkTimeout)
            {
                throw new TimeoutException($"The clusters have no links with each other after {_options.LinkTimeout}.");
            }

            await timer.WaitForNextTickAsync();
        }
    }

    private bool AreLinked() => _silos.All(cluster => cluster.Value.TrueForAll(silo =>
        _silos.Keys.All(other => other == cluster.Key || silo.Services.GetRequiredService<IGeoSilo>().IsLinkedTo(new ClusterId(other)))));

    private IEnumerable<int> DiallersOf(string cluster) =>
        _ports.Where(other => other.Key != cluster).SelectMany(other => other.Value.Select(ports => ports.Geo)).Append(0);

    private IReadOnlyList<IPEndPoint> EntryPoints(string cluster, int from) =>
        [.. _ports[cluster].Select(entry => _links[(from, entry.Geo)].ListeningOn)];

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
            _silos[cluster].Add(await GeoTestSilo.StartAsync(own, primary, cluster, silo => Configure(silo, cluster, own)));
        }
    }

    private void Configure(ISiloBuilder silo, string cluster, SiloPorts own)
    {
        if (_options.LosesSilos)
        {
            silo.Configure<ClusterMembershipOptions>(GeoTestSilo.DetectSoon);
        }

        _options.Silo(silo);
        silo.UseGeo(geo =>
        {
            geo.UseRowStore(_ => WayToRows(cluster, Array.IndexOf(_ports[cluster], own)))
                .AddStore(GeoStorage.Default, _ => Shared).ConfigureDirectory(_options.Directory);
            geo.Configure(options =>
            {
                options.LeaseDuration = _options.LeaseDuration;
                options.DeadLinkAfter = _options.DeadLinkAfter;
                options.ClusterId = cluster;
                options.ListenOn = _options.DialOutOnly.Contains(cluster) ? null : $"127.0.0.1:{own.Geo}";
                foreach (var other in _options.Clusters.Where(other => other != cluster))
                {
                    options.Clusters[other] = _options.DialOutOnly.Contains(other)
                        ? []
                        : [.. EntryPoints(other, own.Geo).Select(entry => entry.ToString())];
                }

                _options.Settings(options);
            });
            _options.Geo(geo);
        });
        _options.Services(silo.Services);
    }
}
