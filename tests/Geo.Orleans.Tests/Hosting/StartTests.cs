using System.Net;
using Geo.Messaging;
using Geo.Messaging.Tests;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using MessagingOptions = Geo.Messaging.MessagingOptions;

namespace Geo.Orleans.Tests.Hosting;

public sealed class StartTests
{
    [Fact]
    public Task Without_a_row_store_the_silo_does_not_start() =>
        RefusedAsync("UseRowStore", geo => geo.Configure(options => options.ClusterId = "eu"));

    [Fact]
    public Task Without_a_cluster_id_the_silo_does_not_start() =>
        RefusedAsync("ClusterId", geo => geo.UseRowStore(_ => new InMemoryConditionalStore()));

    [Fact]
    public Task An_address_that_is_none_is_named() =>
        RefusedAsync("Clusters:us", geo => geo
            .UseRowStore(_ => new InMemoryConditionalStore())
            .Configure(options =>
            {
                options.ClusterId = "eu";
                options.Clusters["us"] = ["nowhere"];
            }));

    [Fact]
    public Task Digests_that_come_too_often_are_refused() =>
        RefusedAsync("DigestInterval", geo => Sound(geo).ConfigureReplicas(new() { DigestInterval = TimeSpan.FromMilliseconds(1) }));

    [Fact]
    public Task Read_replicas_below_none_are_refused() =>
        RefusedAsync("MaxReplicas", geo => Sound(geo).ConfigureReadReplicas(new() { MaxReplicas = -1 }));

    [Fact]
    public Task A_time_of_BatchedCas_grains_that_no_timer_takes_is_named() =>
        RefusedAsync("StorageTimeout", geo => Sound(geo).ConfigureBatchedCas(new() { StorageTimeout = TimeSpan.FromDays(50) }));

    [Fact]
    public Task A_time_of_VersionedLeader_grains_that_no_timer_takes_is_named() =>
        RefusedAsync("AnswerWait", geo => Sound(geo).ConfigureVersionedLeader(new() { AnswerWait = TimeSpan.FromDays(50) }));

    [Fact]
    public Task States_of_VersionedLeader_grains_that_no_message_carries_are_named() =>
        RefusedAsync("MaxBytes", geo => Sound(geo).ConfigureVersionedLeader(new() { MaxBytes = 63 * 1024 * 1024 + 1 }));

    [Fact]
    public async Task A_messenger_that_carries_less_than_states_of_VersionedLeader_grains_may_have_is_named()
    {
        await using var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId("eu/1"), Cluster = new ClusterId("eu"), MaxMessageBytes = 8_000_000 },
            TimeProvider.System, NullLoggerFactory.Instance);
        await node.StartAsync(TestContext.Current.CancellationToken);
        await using var links = new ClusterMessenger(node, new Dictionary<ClusterId, IReadOnlyList<PeerAddress>>());
        var rows = new InMemoryConditionalStore();
        await RefusedAsync(
            "MaxMessageBytes", geo => Sound(geo).UseRowStore(_ => rows).Services.AddSingleton<IClusterMessenger>(links));

        // It was no silo of its cluster: nobody has to wait for its lease.
        Assert.Empty(await rows.ListAsync("", TestContext.Current.CancellationToken).ToListAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public Task An_epoch_of_coordination_free_grains_that_never_passes_is_named() =>
        RefusedAsync("Epoch", geo => Sound(geo).ConfigureLattices(new() { Epoch = TimeSpan.Zero }));

    [Fact]
    public Task A_time_of_coordination_free_grains_that_no_timer_takes_is_named() =>
        RefusedAsync("MaxRetryAfter", geo => Sound(geo).ConfigureLattices(new() { MaxRetryAfter = TimeSpan.FromDays(50) }));

    [Fact]
    public Task Forms_of_coordination_free_grains_without_any_depth_are_named() =>
        RefusedAsync("MaxDepth", geo => Sound(geo).ConfigureLattices(new() { Limits = new() { MaxDepth = 0 } }));

    [Fact]
    public Task Replicas_for_hot_grains_are_refused_where_Orleans_places_them() =>
        RefusedAsync("HotRate", geo => Sound(geo).ConfigureLattices(new() { HotRate = 10 }));

    [Fact]
    public Task TLS_settings_without_their_files_are_named() =>
        RefusedAsync("KeyFile", geo => geo
            .UseRowStore(_ => new InMemoryConditionalStore())
            .Configure(options =>
            {
                options.ClusterId = "eu";
                options.Tls = new TlsOptions { CertificateFile = "eu.pem", KeyFile = "", AuthorityFile = "authority.pem" };
            }));

    [Fact]
    public async Task With_TLS_only_peers_with_a_certificate_are_let_in()
    {
        using var authority = new TestAuthority();
        var ports = FreePorts.Take(2);
        await using var silo = await GeoTestSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo => silo.UseGeo(geo => geo
                .UseRowStore(_ => new InMemoryConditionalStore())
                .Configure(options =>
                {
                    (options.ClusterId, options.ListenOn, options.Tls) = ("eu", "127.0.0.1:0", authority.Issue("eu"));
                    options.Clusters["us"] = [];
                })));
        var address = silo.Services.GetRequiredService<GeoSilo>().ListeningOn!;
        await using var known = Peer("us", authority.Issue("us"));
        await using var stranger = Peer("asia", tls: null);
        await known.StartAsync(TestContext.Current.CancellationToken);
        await stranger.StartAsync(TestContext.Current.CancellationToken);

        var joined = await known.JoinAsync(address, new ClusterId("eu"), TestContext.Current.CancellationToken);
        Assert.StartsWith("eu/", joined.Name, StringComparison.Ordinal);
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(TimeSpan.FromSeconds(1));
        var error = await Record.ExceptionAsync(() => stranger.JoinAsync(address, cancellationToken: patience.Token));

        // It hears nothing, or a TLS alert, which is no answer to its handshake.
        Assert.True(error is OperationCanceledException or GeoConfigurationException, $"{error}");
        Assert.Empty(stranger.Members);
    }

    private static MessagingNode Peer(string cluster, TlsOptions? tls) => new(
        new MessagingOptions { Peer = new PeerId($"{cluster}/1"), Cluster = new ClusterId(cluster), Tls = tls },
        TimeProvider.System, NullLoggerFactory.Instance);

    private static GeoSiloBuilder Sound(GeoSiloBuilder geo) =>
        geo.UseRowStore(_ => new InMemoryConditionalStore()).Configure(options => options.ClusterId = "eu");

    private static async Task RefusedAsync(string naming, Action<GeoSiloBuilder> configure)
    {
        var ports = FreePorts.Take(2);
        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => GeoTestSilo.StartAsync(
            new(ports[0], ports[1], 0), new IPEndPoint(IPAddress.Loopback, ports[0]), "eu", silo => silo.UseGeo(configure)));

        Assert.Contains(naming, error.Message, StringComparison.Ordinal);
    }
}
