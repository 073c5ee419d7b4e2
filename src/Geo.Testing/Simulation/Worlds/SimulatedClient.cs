using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A client outside the silos: the real <see cref="GeoClient"/> over a simulated way to the gateways of a cluster.</summary>
public sealed class SimulatedClient : IAsyncDisposable
{
    private readonly SimulatedCluster _cluster;
    private readonly SimulatedGateway _gateway;

    internal SimulatedClient(SimulatedCluster cluster, string name)
    {
        (_cluster, Name) = (cluster, name);
        Lane = cluster.World.Scheduler.CreateLane(name);
        _gateway = new SimulatedGateway(cluster, name);
        cluster.World.OpenClients.Add(this);
    }

    /// <summary>The name that the trace shows.</summary>
    public string Name { get; }

    /// <summary>The client's process.</summary>
    public SimulationLane Lane { get; }

    /// <summary>The client's settings; changes count until the first call.</summary>
    public GeoClientOptions Options { get; } = new() { Gateways = { "gateway:1" } };

    /// <summary>References to grains.</summary>
    public IGrainFactory Grains => Client;

    /// <summary>A reference to the grain with a text key.</summary>
    public TGrain Grain<TGrain>(string key)
        where TGrain : IGrainWithStringKey => Grains.GetGrain<TGrain>(key);

    /// <summary>A reference to the grain with a number as its key.</summary>
    public TGrain Grain<TGrain>(long key)
        where TGrain : IGrainWithIntegerKey => Grains.GetGrain<TGrain>(key);

    private GeoClient Client => field ??= new GeoClient(
        Options, _cluster.Silos.Select(s => s.Present?.Wire).OfType<WireSettings>().FirstOrDefault() ?? new WireSettings(),
        _cluster.World.Log, _cluster.World.Time, ClientSurroundings.Instance, _gateway);

    /// <summary>Breaks the link to the gateway: calls under way end as unknown, and the link comes back after a while.</summary>
    public void BreakLink() => _gateway.Break();

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _cluster.World.OpenClients.Remove(this);
        return Client.DisposeAsync();
    }

    /// <summary>A client has no turns and no stores: all that it needs is to go on where it is.</summary>
    private sealed class ClientSurroundings : SiloSurroundings
    {
        public static readonly ClientSurroundings Instance = new();

        public override bool KeepsContext => true;

        public override bool HasNetwork => false;
    }
}
