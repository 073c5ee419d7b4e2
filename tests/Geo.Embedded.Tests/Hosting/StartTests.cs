using Geo.Messaging;
using Geo.Messaging.Tests;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Embedded.Tests;

[GlobalSingleInstance]
[OneInstancePerCluster]
public sealed class TornGrain : JournaledGrain<StockState, StockEvent>, ICounter
{
    public Task<int> Add(int amount) => Task.FromResult(amount);

    public Task<string> Where() => Task.FromResult("");
}

[GrainType("localcounter")]
public sealed class NamesakeGrain : Grain, ICounter
{
    public Task<int> Add(int amount) => Task.FromResult(amount);

    public Task<string> Where() => Task.FromResult("");
}

public sealed class LonelyGrain : Grain;

[BatchedCas(Storage = "nowhere")]
public sealed class StorelessGrain : StockGrain;

public interface IOdd : IGrainWithStringKey
{
    int Now();
}

public sealed class OddGrain : Grain, IOdd
{
    public int Now() => 0;
}

public sealed class StartTests
{
    public static TheoryData<string, Type, string> Faults => new()
    {
        { "attributes that contradict each other", typeof(TornGrain), "[GlobalSingleInstance] and [OneInstancePerCluster]" },
        { "two classes with one grain type", typeof(NamesakeGrain), "[GrainType]" },
        { "no grain interface", typeof(LonelyGrain), "no grain interface" },
        { "a store that is missing", typeof(StorelessGrain), "'nowhere'" },
        { "a service that is missing", typeof(LifeGrain), nameof(Journal) },
        { "a method that returns no task", typeof(OddGrain), "IOdd.Now" },
    };

    [Theory]
    [MemberData(nameof(Faults))]
    public async Task What_a_class_asks_for_and_cannot_be_is_one_clear_line(string fault, Type grainClass, string named)
    {
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync("us", geo =>
        {
            geo.AddGrain<LocalCounterGrain>();
            geo.Grains.Add(grainClass);
        }));
        Assert.True(error.Message.Contains(named, StringComparison.Ordinal), $"{fault}: {error.Message}");
        Assert.DoesNotContain('\n', error.Message);
    }

    [Theory]
    [InlineData("Geo:ListnOn", "127.0.0.1:0", "'ListnOn'")]
    [InlineData("Geo:BatchedCas:MaxQueue", "1", "'MaxQueue'")]
    [InlineData("Geo:UnreachableAfter", "soon", "UnreachableAfter")]
    public async Task A_setting_that_is_misspelt_or_cannot_be_read_is_one_clear_line(string key, string value, string named)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new() { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection([new("Geo:ClusterId", "us"), new(key, value)]);
        builder.UseGeoEmbedded(geo => geo.AddGrain<LocalCounterGrain>());
        using var host = builder.Build();

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Contains("'Geo", error.Message);
        Assert.Contains(named, error.Message);
        Assert.DoesNotContain('\n', error.Message);
    }

    [Fact]
    public async Task A_port_in_use_is_one_clear_line_for_clusters_and_for_clients()
    {
        await using var first = await TestSilo.StartAsync("us", geo => geo.AddGrain<LocalCounterGrain>());
        foreach (var (listen, gateway) in new[] { (first.Address, "127.0.0.1:0"), ("127.0.0.1:0", first.Gateway) })
        {
            var error = await Assert.ThrowsAsync<GeoConfigurationException>(
                () => TestSilo.StartAsync("eu", geo => geo.AddGrain<LocalCounterGrain>(), listenOn: listen, gateway: gateway));
            Assert.Contains(listen.EndsWith(":0", StringComparison.Ordinal) ? gateway : listen, error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain('\n', error.Message);
        }
    }

    [Theory]
    [InlineData("", "ClusterId")]
    [InlineData("no good", "'no good'")]
    public async Task A_bad_cluster_id_is_one_clear_line(string cluster, string named)
    {
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync(cluster, _ => { }));
        Assert.Contains(named, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Settings_come_from_the_configuration()
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Geo:ClusterId"] = "us",
            ["Geo:Gateway"] = "127.0.0.1:0",
            ["Geo:Clusters:eu:0"] = "127.0.0.1:1",
            ["Geo:IdleDeactivation"] = "00:00:05",
        });
        builder.UseGeoEmbedded(geo => geo.AddGrains(typeof(IGrain).Assembly).AddGrain<LocalCounterGrain>());
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var silo = host.Services.GetRequiredService<IGeoSilo>();
        Assert.Equal(new ClusterId("us"), silo.Cluster);
        Assert.IsType<PeerAddress>(silo.GatewayOn);
        Assert.Null(silo.ListeningOn);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_class_that_is_known_when_the_program_runs_is_served()
    {
        var (known, other) = (typeof(LocalCounterGrain), typeof(string));
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain(known));
        Assert.Equal(1, await us.Grains.GetGrain<ICounter>("a").Add(1));
        var error = await Assert.ThrowsAsync<ArgumentException>(() => TestSilo.StartAsync("us", geo => geo.AddGrain(other)));
        Assert.Contains("System.String does not derive from Geo.Embedded.Grain", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_limits_of_the_protocols_come_from_the_configuration_too()
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Geo:ClusterId"] = "us",
            ["Geo:BatchedCas:MaxPending"] = "1",
        });
        builder.UseGeoEmbedded(geo => geo.AddGrain<StoredStockGrain>().AddStore(GeoStorage.Default, _ => new SilentStore()).Configure(
            o => o.DeactivationTimeout = TimeSpan.FromMilliseconds(100)));
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var stock = host.Services.GetRequiredService<IGrainFactory>().GetGrain<IStock>("a");
        await stock.Add(1);
        await Assert.ThrowsAsync<GeoUnavailableException>(() => stock.Add(1));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData("Geo:IdleDeactivation", "soon")]
    [InlineData("Geo:MaxQueuedRequests", "-1")]
    [InlineData("Geo:Gateway", "here")]
    [InlineData("Geo:Directory:StoreAttempts", "0")]
    [InlineData("Geo:Directory:RoundLifetime", "00:00:00.5")]
    [InlineData("Geo:BatchedCas:MaxBatch", "0")]
    [InlineData("Geo:VersionedLeader:MaxInstances", "1")]
    [InlineData("Geo:VersionedLeader:MaxBytes", "66060289")]
    [InlineData("Geo:Replicas:MaxWaitingRequests", "0")]
    public async Task A_setting_that_cannot_be_read_is_one_clear_line(string setting, string value)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { ["Geo:ClusterId"] = "us", [setting] = value });
        builder.UseGeoEmbedded(_ => { });
        using var host = builder.Build();
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.Contains(setting.Split(':')[^1], error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }

    [Fact]
    public async Task A_messenger_that_carries_less_than_volatile_grains_may_have_is_one_clear_line()
    {
        await using var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("us/silo"), Cluster = new ClusterId("us"), MaxMessageBytes = 8_000_000 },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        await node.StartAsync(TestContext.Current.CancellationToken);
        await using var links = new ClusterMessenger(node, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>());
        Task<TestSilo> Start(Action<GeoEmbeddedBuilder> configure) =>
            TestSilo.StartAsync("us", configure, services: s => s.AddSingleton<IClusterMessenger>(links));

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => Start(geo => geo.AddGrain<VolatileStockGrain>()));
        Assert.Contains("MaxMessageBytes", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
        await using var others = await Start(geo => geo.AddGrain<LocalStockGrain>());
    }

    [Fact]
    public async Task A_store_is_disposed_of_when_the_silo_stops_and_when_it_does_not_start()
    {
        var stores = new List<DisposableStore>();
        void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<LocalCounterGrain>().AddStore("mine", _ =>
        {
            stores.Add(new DisposableStore());
            return stores[^1];
        });
        await using (await TestSilo.StartAsync("us", Configure))
        {
            Assert.False(stores[0].IsDisposed);
        }

        await Assert.ThrowsAsync<GeoConfigurationException>(() => TestSilo.StartAsync("us", geo =>
        {
            Configure(geo);
            geo.AddGrain<StorelessGrain>();
        }));
        Assert.All(stores, s => Assert.True(s.IsDisposed));
        Assert.Equal(2, stores.Count);
    }

    [Fact]
    public async Task TLS_settings_that_are_incomplete_or_name_no_file_are_one_clear_line()
    {
        async Task<string> RefusedAsync(params (string Name, string Value)[] settings)
        {
            var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
            builder.Configuration.AddInMemoryCollection(settings.ToDictionary(s => $"Geo:Tls:{s.Name}", s => (string?)s.Value));
            builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { ["Geo:ClusterId"] = "us" });
            builder.UseGeoEmbedded(_ => { });
            using var host = builder.Build();
            var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => host.StartAsync(TestContext.Current.CancellationToken));
            Assert.DoesNotContain('\n', error.Message);
            return error.Message;
        }

        var incomplete = await RefusedAsync(("CertificateFile", "silo.pem"));
        Assert.Contains("Geo.Tls.KeyFile", incomplete, StringComparison.Ordinal);
        Assert.Contains(
            "nowhere.pem", await RefusedAsync(("CertificateFile", "nowhere.pem"), ("KeyFile", "k.pem"), ("AuthorityFile", "a.pem")),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Clusters_and_clients_with_certificates_reach_each_other_and_a_client_without_does_not()
    {
        using var authority = new TestAuthority();
        await using var us = await TestSilo.StartAsync(
            "us", geo => geo.AddGrain<SingleCounterGrain>().Configure(o => o.Tls = authority.Issue("us")), [("eu", null)]);
        await using var eu = await TestSilo.StartAsync(
            "eu", geo => geo.AddGrain<SingleCounterGrain>().Configure(o => o.Tls = authority.Issue("eu")), [("us", us.Address)]);
        await Eventually.HoldsAsync(
            () => eu.Silo.IsLinkedTo(new ClusterId("us")) && us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked");
        await using var client = await eu.ConnectClientAsync(o => o.Tls = authority.Issue("client", peer: "geo-client:*"));

        Assert.Equal(1, await us.Grains.GetGrain<ICounter>("a").Add(1));
        Assert.Equal(2, await client.GetGrain<ICounter>("a").Add(1));

        await using var stranger = new GeoClient(new GeoClientOptions { Gateways = { eu.Gateway } });
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => stranger.ConnectAsync(patience.Token));
        Assert.False(stranger.IsConnected);
    }
}
