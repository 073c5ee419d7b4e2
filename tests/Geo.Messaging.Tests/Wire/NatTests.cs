using System.Net;
using Geo.Emulation;

namespace Geo.Messaging.Tests;

/// <summary>Real TCP through real address translation: links need to be dialled from one side only.</summary>
public sealed class NatTests : IAsyncDisposable
{
    private const int Port = 7000;

    private readonly Net _net = new();
    private NatNetwork? _nat;

    public async ValueTask DisposeAsync()
    {
        await _net.DisposeAsync();
        _nat?.Dispose();
    }

    [Fact]
    public async Task A_peer_behind_NAT_and_one_beyond_it_send_each_other_messages_although_only_one_can_dial()
    {
        var nat = Start(outside: 1);
        var listener = await ListenAsync("eu/1", nat.Outside[0]);
        var dialler = await StartAsync("us/1", nat.Inside, listenOn: new PeerAddress($"{nat.Inside.Address}", Port));

        await Assert.ThrowsAsync<IOException>(
            () => new SiteTransport(nat.Outside[0]).ConnectAsync(dialler.ListeningOn!, Net.Token).AsTask());
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(listener, dialler);

        await BothWaysAsync(dialler, listener);
    }

    [Fact]
    public async Task A_cut_without_a_word_is_found_by_both_sides_and_the_link_comes_back_when_it_is_healed()
    {
        var nat = Start(outside: 1);
        var listener = await ListenAsync("eu/1", nat.Outside[0]);
        var dialler = await StartAsync("us/1", nat.Inside);
        await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token));
        await Net.ConnectedAsync(listener, dialler);
        var (hereDown, thereDown) = (NextDown(dialler), NextDown(listener));

        nat.Cut();

        Assert.Contains("nothing was heard", (await Eventually.InTimeAsync(hereDown)).Reason, StringComparison.Ordinal);
        Assert.Contains("nothing was heard", (await Eventually.InTimeAsync(thereDown)).Reason, StringComparison.Ordinal);
        Assert.Equal(ReplyOutcome.Refused, (await listener.RequestAsync(dialler.Peer, "echo", new byte[1], default, Net.Token)).Outcome);

        nat.Heal();
        await Net.ConnectedAsync(dialler, listener);
        await Net.ConnectedAsync(listener, dialler);
        await BothWaysAsync(dialler, listener);
    }

    [Fact]
    public async Task Two_silos_behind_one_plain_TCP_load_balancer_are_reached_and_answer()
    {
        var nat = Start(outside: 2);
        var silos = new[] { await ListenAsync("eu/1", nat.Outside[0]), await ListenAsync("eu/2", nat.Outside[1]) };
        var balanced = nat.Balance(Port);
        var reached = new HashSet<PeerId>();
        for (var number = 1; number <= 4; number++)
        {
            // Five connections, spread one by one: the further ones must find the silo of the first.
            var dialler = await StartAsync($"us-{number}/1", nat.Inside, lanes: 4);

            var found = await Join(dialler, balanced);
            var silo = silos.Single(silo => silo.Peer == found);
            reached.Add(silo.Peer);
            await Net.ConnectedAsync(silo, dialler);
            Assert.Equal(5, dialler.Links.Single().Lanes.Length);
            await BothWaysAsync(dialler, silo);
        }

        Assert.Equal(2, reached.Count);
    }

    private static Task<PeerId> Join(MessagingNode dialler, IPEndPoint address) => Eventually.InTimeAsync(
        dialler.JoinAsync(new PeerAddress($"{address.Address}", address.Port), new ClusterId("eu"), Net.Token));

    private NatNetwork Start(int outside)
    {
        Assert.SkipWhen(NatNetwork.Unavailable is not null, NatNetwork.Unavailable ?? "");
        return _nat = NatNetwork.Start(outside);
    }

    private Task<MessagingNode> ListenAsync(string peer, TunnelSite site) =>
        StartAsync(peer, site, new PeerAddress($"{site.Address}", Port));

    private Task<MessagingNode> StartAsync(string peer, TunnelSite site, PeerAddress? listenOn = null, int lanes = 1) => _net.StartAsync(
        peer,
        options => options with
        {
            ClusterInstance = $"{options.Cluster}",
            ListenOn = listenOn,
            AllowInsecure = true,
            HeartbeatInterval = TimeSpan.FromMilliseconds(100),
            DeadLinkAfter = TimeSpan.FromSeconds(3),
            Channels = [new ChannelOptions { Name = "bulk", Parallelism = lanes, Lanes = LaneUse.ByKey }],
        },
        new SiteTransport(site));

    private static async Task BothWaysAsync(MessagingNode one, MessagingNode other)
    {
        foreach (var (from, to) in new[] { (one, other), (other, one) })
        {
            using var echo = to.Handle("echo", (message, _) => new(message.Payload));
            foreach (var size in new[] { 100, 300_000 })
            {
                var reply = await from.RequestAsync(
                    to.Peer, "echo", new byte[size], new MessageOptions("bulk", PartitionKey.From(size)), Net.Token);
                Assert.Equal((ReplyOutcome.Replied, null, size), (reply.Outcome, reply.Reason, reply.Payload.Length));
            }
        }
    }

    private static Task<MembershipChange> NextDown(MessagingNode node)
    {
        var next = new TaskCompletionSource<MembershipChange>(TaskCreationOptions.RunContinuationsAsynchronously);
        node.MembersChanged += change =>
        {
            if (!change.IsUp)
            {
                next.TrySetResult(change);
            }
        };
        return next.Task;
    }
}
