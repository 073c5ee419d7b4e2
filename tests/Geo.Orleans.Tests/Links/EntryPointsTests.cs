using System.Net;
using System.Net.Sockets;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Links;

public sealed class EntryPointsTests
{
    private static readonly ClusterId Us = new("us");

    private readonly Names _names = new();
    private readonly Settings _settings = new();

    [Fact]
    public async Task A_name_stands_for_all_addresses_behind_it_as_they_are_now()
    {
        _settings.CurrentValue.Clusters["us"] = ["entry.us.example:7000", "10.9.9.9:7001"];
        var entryPoints = EntryPoints();

        _names.Known["entry.us.example"] = [IPAddress.Parse("10.2.0.4"), IPAddress.Parse("10.2.0.5")];
        Assert.Equal(["10.2.0.4:7000", "10.2.0.5:7000", "10.9.9.9:7001"], await FindAsync(entryPoints));

        _names.Known["entry.us.example"] = [IPAddress.Parse("10.2.0.6")];
        Assert.Equal(["10.2.0.6:7000", "10.9.9.9:7001"], await FindAsync(entryPoints));
    }

    [Fact]
    public async Task A_name_that_cannot_be_resolved_keeps_what_it_stood_for_last_or_is_dialled_as_it_is()
    {
        _settings.CurrentValue.Clusters["us"] = ["entry.us.example:7000"];
        var entryPoints = EntryPoints();
        Assert.Equal(["entry.us.example:7000"], await FindAsync(entryPoints));

        _names.Known["entry.us.example"] = [IPAddress.Parse("10.2.0.4")];
        Assert.Equal(["10.2.0.4:7000"], await FindAsync(entryPoints));

        _names.Known.Clear();
        Assert.Equal(["10.2.0.4:7000"], await FindAsync(entryPoints));
    }

    [Fact]
    public async Task Links_follow_a_name_and_changed_settings_while_they_run()
    {
        await using var first = await ListenAsync("us/1", "a");
        await using var second = await ListenAsync("us/2", "a");
        await using var dialler = await ListenAsync("eu/1", "b", "eu");
        _settings.CurrentValue.EntryPointRefresh = TimeSpan.FromMilliseconds(50);
        _settings.CurrentValue.Clusters["us"] = [$"entry.us.example:{first.ListeningOn!.Port}"];
        _names.Known["entry.us.example"] = [IPAddress.Loopback];
        var entryPoints = EntryPoints();
        await using var links = new ClusterMessenger(dialler, await entryPoints.FindAsync(CancellationToken.None));
        using var stop = new CancellationTokenSource();
        var refreshing = entryPoints.KeepFreshAsync(links, stop.Token);
        await Clusters.Eventually.Is(1, () => Task.FromResult(dialler.Members.Count));

        _settings.CurrentValue.Clusters["us"] = [$"entry.us.example:{second.ListeningOn!.Port}"];

        await Clusters.Eventually.Is(2, () => Task.FromResult(dialler.Members.Count));
        await stop.CancelAsync();
        await refreshing;
    }

    [Fact]
    public async Task Settings_that_cannot_be_read_while_the_silo_runs_leave_the_links_as_they_are_until_they_can()
    {
        await using var first = await ListenAsync("us/1", "a");
        await using var dialler = await ListenAsync("eu/1", "b", "eu");
        _settings.CurrentValue.EntryPointRefresh = TimeSpan.FromMilliseconds(50);
        var entryPoints = EntryPoints();
        await using var links = new ClusterMessenger(dialler, await entryPoints.FindAsync(CancellationToken.None));
        using var stop = new CancellationTokenSource();
        var refreshing = entryPoints.KeepFreshAsync(links, stop.Token);

        // As the binder of the configuration throws, for a time span that is none.
        _settings.Fault = new InvalidOperationException(
            "Failed to convert configuration value at 'Geo:LeaseDuration' to type 'System.TimeSpan'.");
        await Clusters.Eventually.Is(true, () => Task.FromResult(_settings.Faults > 1));
        _settings.Fault = null;
        _settings.CurrentValue.Clusters["us"] = [first.ListeningOn!.ToString()];

        await Clusters.Eventually.Is(1, () => Task.FromResult(dialler.Members.Count));
        await stop.CancelAsync();
        await refreshing;
    }

    private static async Task<MessagingNode> ListenAsync(string peer, string instance, string cluster = "us")
    {
        var node = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId(peer),
                Cluster = new ClusterId(cluster),
                ClusterInstance = instance,
                ListenOn = PeerAddress.Loopback(),
            },
            TimeProvider.System, NullLoggerFactory.Instance);
        await node.StartAsync();
        return node;
    }

    private EntryPoints EntryPoints() => new(
        _settings,
        new ConfigurationSource(
            new ClusterId("eu"), [], new GlobalDirectoryOptions(), store: null, new InMemoryConditionalStore(), _ => { },
            TimeProvider.System, Random.Shared, NullLogger.Instance),
        _names, TimeProvider.System, NullLogger<EntryPoints>.Instance);

    private static async Task<string[]> FindAsync(EntryPoints entryPoints) =>
        [.. (await entryPoints.FindAsync(CancellationToken.None))[Us].Select(address => address.ToString())];

    private sealed class Names : IHostNames
    {
        public Dictionary<string, IPAddress[]> Known { get; } = [];

        public Task<IPAddress[]> ResolveAsync(string host, CancellationToken cancellationToken) =>
            Known.TryGetValue(host, out var found) ? Task.FromResult(found) : throw new SocketException((int)SocketError.HostNotFound);
    }

    private sealed class Settings : IOptionsMonitor<GeoOrleansOptions>
    {
        private readonly GeoOrleansOptions _value = new();
        private int _faults;

        public Exception? Fault { get; set; }

        public int Faults => Volatile.Read(ref _faults);

        public GeoOrleansOptions CurrentValue
        {
            get
            {
                if (Fault is { } fault)
                {
                    Interlocked.Increment(ref _faults);
                    throw fault;
                }

                return _value;
            }
        }

        public GeoOrleansOptions Get(string? name) => CurrentValue;

        public IDisposable? OnChange(Action<GeoOrleansOptions, string?> listener) => null;
    }
}
