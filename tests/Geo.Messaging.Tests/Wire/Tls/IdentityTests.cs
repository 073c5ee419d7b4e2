using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>With TLS a peer is who its certificate says, and nobody else.</summary>
public sealed class IdentityTests : IAsyncDisposable
{
    private const long Later = long.MaxValue;

    private static readonly LanePlan Plan = new([new("default", 2)]);

    private readonly Net _net = new();
    private readonly TestAuthority _authority = new();

    public async ValueTask DisposeAsync()
    {
        await _net.DisposeAsync();
        _authority.Dispose();
    }

    [Theory]
    [InlineData("geo-cluster:us", "eu/2", "eu")]
    [InlineData("geo-cluster:us", "eu/2", "")]
    [InlineData("geo-client:*", "us/1", "us")]
    [InlineData("geo-peer:us/1@us", "us/2", "us")]
    [InlineData("geo-peer:us/1@us", "us/1", "")]
    [InlineData("geo-peer:backup", "restore", "")]
    [InlineData("geo-cluster:not a name", "us/1", "us")]
    [InlineData("", "us/1", "us")]
    public async Task Who_claims_a_name_or_a_cluster_that_its_certificate_does_not_allow_is_refused(
        string allowed, string peer, string cluster)
    {
        var listener = await ListenAsync();
        using var thief = await SayHelloAsync(listener, allowed, peer, cluster);

        var refusal = Assert.IsType<Refusal>(await thief.AnswerAsync());

        Assert.Equal(RefusalReason.Untrusted, refusal.Reason);
        Assert.Contains("does not allow it to be", refusal.Message, StringComparison.Ordinal);
        Assert.Empty(listener.Members);
    }

    [Theory]
    [InlineData("geo-cluster:us", "us/1", "us")]
    [InlineData("geo-peer:us/1@us", "us/1", "us")]
    [InlineData("geo-client:*", "anybody", "")]
    [InlineData("geo-peer:backup", "backup", "")]
    public async Task Who_claims_what_its_certificate_allows_is_welcome(string allowed, string peer, string cluster)
    {
        var listener = await ListenAsync();
        using var honest = await SayHelloAsync(listener, allowed, peer, cluster);

        Assert.IsType<Welcome>(await honest.AnswerAsync());
    }

    [Fact]
    public async Task A_listener_that_is_not_who_it_says_is_refused_by_who_dials_it()
    {
        var listener = await _net.ListenAsync("eu/1", options => options with { Tls = _authority.Issue("us") });
        var dialler = await _net.StartAsync("us/1", options => options with { Tls = _authority.Issue("us") });

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));

        Assert.Contains("does not allow it to be eu/1 of cluster eu", error.Message, StringComparison.Ordinal);
        Assert.Empty(dialler.Members);
    }

    [Fact]
    public async Task A_later_start_counts_only_from_whom_the_earlier_one_was()
    {
        var listener = await ListenAsync();
        using var owner = await SayHelloAsync(listener, "geo-peer:us/1@us", "us/1", "us");
        await OpenAsync(owner, listener);

        using var other = await SayHelloAsync(listener, "geo-cluster:us", "us/1", "us", Later);
        Assert.Equal(RefusalReason.PeerIdInUse, Assert.IsType<Refusal>(await other.AnswerAsync()).Reason);
        Assert.Equal(1, Assert.Single(listener.Members).Incarnation);

        using var restarted = await SayHelloAsync(listener, "geo-peer:us/1@us", "us/1", "us", 2);
        await OpenAsync(restarted, listener);
        await Eventually.HoldsAsync(() => listener.Members is [{ Incarnation: 2 }], "the later start is the peer");
    }

    [Theory]
    [InlineData("geo-client:*", "")]
    [InlineData("geo-peer:us/1", "")]
    [InlineData("geo-cluster:asia", "asia")]
    public async Task A_client_or_a_silo_of_another_cluster_keeps_no_silo_out_by_its_name(string allowed, string cluster)
    {
        var listener = await ListenAsync();
        using var thief = await SayHelloAsync(listener, allowed, "us/1", cluster, Later);
        await OpenAsync(thief, listener);

        using var owner = await SayHelloAsync(listener, "geo-peer:us/1@us", "us/1", "us");
        Assert.IsType<Welcome>(await owner.AnswerAsync());
        await owner.SayAsync(HostilePeer.Frame(FrameKind.Ready, 0, []));
        await Eventually.HoldsAsync(() => listener.Members.Count == 2, "both links are up");
    }

    [Fact]
    public async Task What_is_sent_to_a_silo_does_not_go_to_a_client_with_its_name()
    {
        var listener = await ListenAsync();
        using var thief = await SayHelloAsync(listener, "geo-client:*", "us/1", "");
        await OpenAsync(thief, listener);
        var owner = await _net.StartAsync("us/1", options => options with { Tls = _authority.Issue("us") });
        using var echo = owner.Handle("echo", (message, _) => new(message.Payload));
        await Eventually.InTimeAsync(owner.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Eventually.HoldsAsync(() => listener.Members.Count == 2, "both links are up");

        var reply = await Eventually.InTimeAsync(listener.RequestAsync(owner.Peer, "echo", new byte[1], default, Net.Token).AsTask());

        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
    }

    [Fact]
    public async Task What_is_sent_to_a_silo_goes_on_to_it_when_one_of_another_cluster_comes_with_its_name()
    {
        var listener = await ListenAsync();
        var owner = await _net.StartAsync("us/1", options => options with { Tls = _authority.Issue("us") });
        using var echo = owner.Handle("echo", (message, _) => new(message.Payload));
        await Eventually.InTimeAsync(owner.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(listener, owner);
        using var thief = await SayHelloAsync(listener, "geo-cluster:asia", "us/1", "asia");
        Assert.IsType<Welcome>(await thief.AnswerAsync());
        await thief.SayAsync(HostilePeer.Frame(FrameKind.Ready, 0, []));
        await Eventually.HoldsAsync(() => listener.Members.Count == 2, "both links are up");

        var reply = await Eventually.InTimeAsync(listener.RequestAsync(owner.Peer, "echo", new byte[1], default, Net.Token).AsTask());

        Assert.Equal(ReplyOutcome.Replied, reply.Outcome);
    }

    [Theory]
    [InlineData("geo-client:*", "geo-peer:backup", "backup", "")]
    [InlineData("geo-cluster:us", "geo-peer:us/1@us", "us/1", "us")]
    public async Task Who_may_bear_any_name_gives_way_to_who_has_that_name(string any, string named, string peer, string cluster)
    {
        var listener = await ListenAsync();
        using var thief = await SayHelloAsync(listener, any, peer, cluster, Later);
        await OpenAsync(thief, listener);

        using var owner = await SayHelloAsync(listener, named, peer, cluster);
        Assert.IsType<Welcome>(await owner.AnswerAsync());
        await owner.SayAsync(HostilePeer.Frame(FrameKind.Ready, 0, []));
        await Eventually.HoldsAsync(() => listener.Members is [{ Incarnation: 1 }], "it is the peer");
        using var again = await SayHelloAsync(listener, any, peer, cluster, Later);
        Assert.Equal(RefusalReason.PeerIdInUse, Assert.IsType<Refusal>(await again.AnswerAsync()).Reason);
    }

    [Theory]
    [InlineData("geo-client:*", "")]
    [InlineData("geo-cluster:eu", "eu")]
    public async Task A_dial_that_is_never_completed_keeps_nobody_from_dialling_the_bearer_of_its_name(string allowed, string cluster)
    {
        var silo = await _net.ListenAsync("eu/1", options => options with { Tls = _authority.Issue("eu", peer: "geo-peer:eu/1@eu") });
        var dialler = await _net.ListenAsync(
            "us/1", options => options with { Tls = _authority.Issue("us"), HandshakeTimeout = TimeSpan.FromMinutes(5) });
        using var thief = await SayHelloAsync(dialler, allowed, "eu/1", cluster, Later);
        Assert.IsType<Welcome>(await thief.AnswerAsync());

        Assert.Equal(silo.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(silo.ListeningOn!, cancellationToken: Net.Token)));
    }

    [Fact]
    public async Task Nobody_adds_a_connection_to_the_link_of_another()
    {
        var listener = await ListenAsync();
        using var owner = await SayHelloAsync(listener, "geo-peer:us/1@us", "us/1", "us");
        await OpenAsync(owner, listener);

        using var other = await SayHelloAsync(listener, "geo-cluster:us", "us/1", "us", lane: 1);
        Assert.Equal(RefusalReason.UnknownLink, Assert.IsType<Refusal>(await other.AnswerAsync()).Reason);

        using var own = await SayHelloAsync(listener, "geo-peer:us/1@us", "us/1", "us", lane: 1);
        Assert.IsType<Welcome>(await own.AnswerAsync());
    }

    [Fact]
    public async Task What_certificates_say_can_be_read_otherwise()
    {
        var listener = await _net.ListenAsync(
            "eu/1",
            options => options with
            {
                Tls = _authority.Issue("eu") with
                {
                    NamesOf = certificate => certificate.Subject switch
                    {
                        "CN=us" => [new CertifiedPeer(new ClusterId("us"), default)],
                        _ => throw new InvalidOperationException("nobody knows it"),
                    },
                },
            });
        var dialler = await _net.StartAsync("us/1", options => options with { Tls = _authority.Issue("us", peer: "") });
        Assert.Equal(listener.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));

        var refusal = Refusals.Next(listener);
        using var stranger = await SayHelloAsync(listener, "geo-cluster:us", "us/2", "us");
        Assert.Contains("nobody knows it", (await Eventually.InTimeAsync(refusal)).Message, StringComparison.Ordinal);
    }

    private static async Task OpenAsync(HostilePeer peer, MessagingNode listener)
    {
        Assert.IsType<Welcome>(await peer.AnswerAsync());
        await peer.SayAsync(HostilePeer.Frame(FrameKind.Ready, 0, []));
        await Eventually.HoldsAsync(() => listener.Members.Count == 1, "the link is up");
    }

    private Task<MessagingNode> ListenAsync() => _net.ListenAsync("eu/1", options => options with { Tls = _authority.Issue("eu") });

    // What a peer with a certificate of the authority says, whatever the certificate allows.
    private async Task<HostilePeer> SayHelloAsync(
        MessagingNode to, string allowed, string peer, string cluster, long incarnation = 1, int lane = 0)
    {
        var tls = _authority.Issue($"{Guid.NewGuid()}", peer: allowed);
        var transport = new TlsTransport(tls, new TlsCredentialFiles(tls, TimeProvider.System, NullLogger.Instance));
        var speaker = new HostilePeer(await transport.ConnectAsync(to.ListeningOn!, Net.Token));
        await speaker.SayAsync(Handshake.Write(new Hello(
            WireVersions.Current,
            new PeerIdentity(new PeerId(peer), cluster == "" ? default : new ClusterId(cluster), cluster, incarnation), default, 1, Plan,
            Plan.Lanes[lane], int.MaxValue, int.MaxValue)));
        return speaker;
    }
}
