using System.Text;

namespace Geo.Messaging.Tests;

public sealed class TlsTests : IAsyncDisposable
{
    private readonly Net _net = new();
    private readonly TestAuthority _authority = new();

    public async ValueTask DisposeAsync()
    {
        await _net.DisposeAsync();
        _authority.Dispose();
    }

    [Fact]
    public async Task Peers_with_certificates_of_one_authority_talk_in_both_directions()
    {
        var listener = await ListenAsync("eu/1", _authority.Issue("eu"));
        var dialler = await StartAsync("us/1", _authority.Issue("us"), [new ChannelOptions { Name = "bulk", Parallelism = 2 }]);
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(listener, dialler);
        using var there = listener.Handle("echo", (message, _) => new(message.Payload));
        using var here = dialler.Handle("echo", (message, _) => new(message.Payload));
        var payload = new byte[1_000_000];
        new Random(1).NextBytes(payload);

        var replies = await Eventually.InTimeAsync(Task.WhenAll(Enumerable.Range(0, 20).Select(i => i % 2 == 0
            ? dialler.RequestAsync(listener.Peer, "echo", payload, new MessageOptions("bulk", PartitionKey.From(i)), Net.Token).AsTask()
            : listener.RequestAsync(dialler.Peer, "echo", payload, default, Net.Token).AsTask())));

        Assert.All(replies, reply => Assert.True(reply.Payload.Span.SequenceEqual(payload), reply.Reason));
    }

    [Fact]
    public async Task Beyond_the_machine_certificates_are_enough()
    {
        var node = await _net.StartAsync(
            "eu/1", options => options with { ListenOn = PeerAddress.Parse("0.0.0.0:0"), Tls = _authority.Issue("eu") });

        Assert.NotEqual(0, node.ListeningOn!.Port);
    }

    [Fact]
    public async Task A_dialler_of_another_authority_is_refused()
    {
        using var others = new TestAuthority();
        var listener = await ListenAsync("eu/1", _authority.Issue("eu"));
        var refusal = NextRefusal(listener);

        // It trusts the listener, but the listener does not trust it.
        var stranger = await StartAsync("us/1", others.Issue("us") with { AuthorityFile = _authority.PathOf("authority.pem") });
        stranger.Connect(listener.ListeningOn!);

        Assert.Equal(RefusalReason.Untrusted, (await Eventually.InTimeAsync(refusal)).Reason);
        Assert.Empty(listener.Members);
        Assert.Empty(stranger.Members);
    }

    [Fact]
    public async Task A_connection_that_has_shown_no_certificate_holds_nobodys_name()
    {
        var listener = await ListenAsync("eu/1", _authority.Issue("eu"));
        using var thief = await HostilePeer.ConnectAsync(SocketTransport.Instance, listener, "us/1");
        var dialler = await StartAsync("us/1", _authority.Issue("us"));

        Assert.Equal(listener.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));
        await Net.ConnectedAsync(listener, dialler);
    }

    [Theory]
    [InlineData("eu.example.org", 1)]
    [InlineData("127.0.0.1", -0.5)]
    public async Task A_listener_whose_certificate_is_for_another_host_or_has_expired_is_refused(string host, double hours)
    {
        var listener = await ListenAsync("eu/1", _authority.Issue("eu", host, TimeSpan.FromHours(hours)));
        var dialler = await StartAsync("us/1", _authority.Issue("us"));

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));

        Assert.Contains("TLS with", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_listener_may_be_known_by_another_name_than_the_host_dialled()
    {
        var listener = await ListenAsync("eu/1", _authority.Issue("eu", "eu.example.org"));
        var dialler = await StartAsync("us/1", _authority.Issue("us") with { ListenerName = "eu.example.org" });

        Assert.Equal(listener.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));
    }

    [Fact]
    public async Task Tls_at_the_dialling_side_only_is_refused_with_a_hint()
    {
        var listener = await _net.ListenAsync("eu/1");
        var refusal = NextRefusal(listener);
        var dialler = await StartAsync("us/1", _authority.Issue("us"));
        dialler.Connect(listener.ListeningOn!);

        Assert.Contains("TLS is on at one side only", (await Eventually.InTimeAsync(refusal)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Tls_at_the_listening_side_only_is_refused()
    {
        var listener = await ListenAsync("eu/1", _authority.Issue("eu"));
        var refusal = NextRefusal(listener);
        var dialler = await _net.StartAsync("us/1");
        dialler.Connect(listener.ListeningOn!);

        Assert.Equal(RefusalReason.Untrusted, (await Eventually.InTimeAsync(refusal)).Reason);
        Assert.Empty(dialler.Members);
    }

    [Fact]
    public async Task A_renewed_certificate_is_used_without_a_restart()
    {
        var expired = _authority.Issue("eu", validFor: TimeSpan.FromMinutes(-1));
        var listener = await ListenAsync("eu/1", expired);
        var dialler = await StartAsync("us/1", _authority.Issue("us"));
        await Assert.ThrowsAsync<GeoConfigurationException>(
            () => Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));

        _authority.Issue("eu");

        await Net.ConnectedAsync(dialler, listener);
        Assert.Equal(listener.Peer, dialler.Members.Single().Peer);
    }

    [Fact]
    public async Task A_file_that_is_damaged_while_the_node_runs_leaves_the_certificate_before_in_use()
    {
        var tls = _authority.Issue("eu");
        var listener = await ListenAsync("eu/1", tls);
        await File.WriteAllTextAsync(tls.CertificateFile, "half a file", Encoding.UTF8, Net.Token);
        var dialler = await StartAsync("us/1", _authority.Issue("us"));

        Assert.Equal(listener.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_file_that_cannot_be_used_is_one_clear_error_at_start(bool missing)
    {
        var tls = _authority.Issue("eu");
        if (missing)
        {
            File.Delete(tls.CertificateFile);
        }
        else
        {
            await File.WriteAllTextAsync(tls.KeyFile, "no key", Net.Token);
        }

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => ListenAsync("eu/1", tls));

        Assert.Contains(tls.CertificateFile, error.Message, StringComparison.Ordinal);
    }

    private Task<MessagingNode> ListenAsync(string peer, TlsOptions tls) => _net.ListenAsync(peer, options => options with { Tls = tls });

    private Task<MessagingNode> StartAsync(string peer, TlsOptions tls, ChannelOptions[]? channels = null) =>
        _net.StartAsync(peer, options => options with { Tls = tls, Channels = channels ?? [] });

    private static Task<LinkRefusal> NextRefusal(MessagingNode node)
    {
        var next = new TaskCompletionSource<LinkRefusal>(TaskCreationOptions.RunContinuationsAsynchronously);
        node.LinkRefused += refusal => next.TrySetResult(refusal);
        return next.Task;
    }
}
