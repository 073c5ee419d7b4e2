using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>
/// Every way in which a handshake does not fit has a reason for programs and a message for people, at both ends where both are ours.
/// </summary>
public sealed class RefusalTests : IAsyncDisposable
{
    private static readonly PeerIdentity Us = new(new PeerId("us/1"), new ClusterId("us"), "us/1", 7);

    private readonly Net _net = new();

    public ValueTask DisposeAsync() => _net.DisposeAsync();

    [Fact]
    public async Task A_further_connection_of_a_link_that_is_not_known_is_refused()
    {
        var listener = await _net.ListenAsync("eu/1");
        var atListener = Refusals.Next(listener);
        var plan = new LanePlan([new("default", 2)]);

        var answer = await AskAsync(listener, new Hello(WireVersions.Current, Us, default, 1, plan, plan.Lanes[1], 4096));

        Assert.Equal(RefusalReason.UnknownLink, Assert.IsType<Refusal>(answer).Reason);
        Assert.Equal((RefusalReason.UnknownLink, false), Of(await Eventually.InTimeAsync(atListener)));
    }

    [Fact]
    public async Task A_further_connection_beyond_the_number_allowed_is_refused_to_the_diallers_knowledge()
    {
        var listener = await _net.ListenAsync("eu/1", options => options with { MaxConnections = 2 });
        var dialler = await _net.StartAsync(
            "us/1", options => options with { DefaultChannel = new ChannelOptions { Parallelism = 3, Lanes = LaneUse.ByKey } });
        var (atListener, atDialler) = (Refusals.Next(listener), Refusals.Next(dialler));

        dialler.Connect(listener.ListeningOn!);

        Assert.Equal((RefusalReason.TooManyConnections, false), Of(await Eventually.InTimeAsync(atListener)));
        var refusal = await Eventually.InTimeAsync(atDialler);
        Assert.Equal((RefusalReason.TooManyConnections, true), Of(refusal));
        Assert.Contains("was asked for 3 more; MaxConnections allows 2", refusal.Message, StringComparison.Ordinal);
        Assert.Empty(dialler.Members);
    }

    [Fact]
    public async Task Connections_for_another_cluster_are_refused_by_the_listener()
    {
        var listener = await _net.ListenAsync("eu/1");
        var plan = new LanePlan([new("default", 1)]);

        var answer = await AskAsync(listener, new Hello(WireVersions.Current, Us, new ClusterId("asia"), 1, plan, plan.Lanes[0], 4096));

        var refusal = Assert.IsType<Refusal>(answer);
        Assert.Equal((RefusalReason.WrongCluster, listener.Peer), (refusal.Reason, refusal.By));
    }

    [Fact]
    public void A_node_that_stops_says_so()
    {
        var links = new LinkTable(Us, new EventFeed<MembershipChange>(() => null, NullLogger.Instance), new NodeBudget(1));
        links.Close();

        var refusal = links.Claim(new PeerIdentity(new PeerId("eu/1"), new ClusterId("eu"), "eu/1", 1), default);

        Assert.Equal(RefusalReason.Stopping, refusal?.Reason);
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\n\r\n", "not a Geo handshake")]
    [InlineData(null, "wire version 9, which was not offered")]
    public async Task An_answer_that_makes_no_sense_is_refused_by_the_dialler(string? text, string expected)
    {
        using var listener = SocketTransport.Instance.Listen(PeerAddress.Loopback());
        var dialler = await _net.StartAsync("us/1");
        var atDialler = Refusals.Next(dialler);

        dialler.Connect(listener.Address);
        using var wire = await listener.AcceptAsync(Net.Token);
        await HandshakeStream.ReadHelloAsync(wire);
        await HandshakeStream.WriteAsync(wire, text is null
            ? Handshake.Write(new Welcome(9, Us with { Peer = new PeerId("eu/1") }, 4096))
            : System.Text.Encoding.ASCII.GetBytes(text));

        var refusal = await Eventually.InTimeAsync(atDialler);
        Assert.Equal((RefusalReason.Malformed, false), Of(refusal));
        Assert.Contains(expected, refusal.Message, StringComparison.Ordinal);
    }

    private static (RefusalReason, bool) Of(LinkRefusal refusal) => (refusal.Reason, refusal.RefusedByRemote);

    private static async Task<HandshakeAnswer> AskAsync(MessagingNode listener, Hello hello)
    {
        using var wire = await SocketTransport.Instance.ConnectAsync(listener.ListeningOn!, Net.Token);
        await HandshakeStream.WriteAsync(wire, Handshake.Write(hello));
        return await Eventually.InTimeAsync(HandshakeStream.ReadAnswerAsync(wire).AsTask());
    }
}
