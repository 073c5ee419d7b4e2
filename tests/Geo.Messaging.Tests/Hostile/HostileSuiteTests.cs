using System.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>
/// What hostile or broken peers do to a node in a process of its own, over real sockets: its resident memory stays within a bound, honest
/// peers are served within a second, and what is refused is counted with the reason.
/// </summary>
[Collection(ProcessWide.Name)]
public sealed class HostileSuiteTests : IAsyncDisposable
{
    // What large messages may take and their buffers, and as much again for everything else, garbage included.
    private const long MemoryBound = 2L * (ServerProgram.MaxLarge + ServerProgram.MaxMessage);

    private static readonly TimeSpan Served = TimeSpan.FromSeconds(1);

    private readonly Net _net = new();
    private readonly TestAuthority _authority = new();
    private readonly List<IDisposable> _open = [];
    private ServerProcess? _server;

    // Nobody attacks this one: it shows how long the same takes on this machine now.
    private ServerProcess? _quiet;
    private MessagingNode? _knownToQuiet;
    private TlsOptions? _honest;

    public async ValueTask DisposeAsync()
    {
        _open.ForEach(each => each.Dispose());
        await _net.DisposeAsync();
        _server?.Dispose();
        _quiet?.Dispose();
        _authority.Dispose();
    }

    [Fact]
    public Task Probes_whose_answers_are_not_read() => UnderAsync(
        "geo.messaging.cut_off:unread-answers",
        async server =>
        {
            byte[] probes = [.. Enumerable.Repeat(HostilePeer.Frame(FrameKind.Ping, 1, []), 4000).SelectMany(frame => frame)];
            using var peer = await JoinAsync(server);
            Assert.True(await peer.SayUntilCutOffAsync(probes, 10_000), "it was not cut off");
        });

    [Fact]
    public Task Pieces_of_messages_that_are_never_sent_whole() => UnderAsync(
        "geo.messaging.cut_off:protocol",
        async server =>
        {
            var peer = await JoinAsync(server);
            var piece = ServerProgram.MaxMessage / PieceHeader.UnitBytes;
            for (ulong number = 1; number <= 100; number++)
            {
                await peer.SayUntilCutOffAsync(HostilePeer.LastByteOf(number, piece), 1);
            }
        });

    [Fact]
    public Task Announcements_without_pieces() => UnderAsync(
        "geo.messaging.cut_off:protocol",
        async server =>
        {
            var peer = await JoinAsync(server);
            for (ulong number = 1; number <= 100_000; number++)
            {
                if (await peer.SayUntilCutOffAsync(HostilePeer.Announcement(number, 66_000), 1))
                {
                    return;
                }
            }
        });

    [Fact]
    public Task Connections_that_are_opened_slowly() => UnderAsync(
        "geo.messaging.cut_off:too-many-opening",
        async server =>
        {
            var plan = new LanePlan([new("default", 60, ByKey: true)]);
            for (var peer = 0; peer < 4 * ServerProgram.MaxConnections; peer++)
            {
                await SayHelloAsync(server, $"slow-{peer}", plan: plan);
            }
        });

    [Fact]
    public Task Connections_that_never_say_anything() => UnderAsync(
        "geo.messaging.cut_off:too-many-opening",
        async server =>
        {
            for (var peer = 0; peer < 4 * ServerProgram.MaxConnections; peer++)
            {
                await ConnectAsync(server);
            }
        });

    [Fact]
    public Task Messages_to_a_slow_handler() => UnderAsync(
        "geo.messaging.dropped:too-many-handlers",
        async server =>
        {
            var peer = await JoinAsync(server);
            byte[] messages = [.. Enumerable.Repeat(HostilePeer.OneWay("slow", 100), 200).SelectMany(frame => frame)];
            await peer.SayUntilCutOffAsync(messages, 1000);
        });

    [Fact]
    public Task Broadcasts_of_much_to_a_slow_handler() => UnderAsync(
        "geo.messaging.dropped:no-memory",
        async server =>
        {
            var peer = await JoinAsync(server);
            var message = HostilePeer.OneWay("slow", 60_000);
            for (var messages = 0; messages < 2000; messages++)
            {
                await peer.SayUntilCutOffAsync(message, 1);
            }
        });

    [Fact]
    public Task Replies_that_nobody_reads_on_many_lanes() => UnderAsync(
        "geo.messaging.dropped:reply-full",
        async server =>
        {
            const int Lanes = 16;
            var plan = new LanePlan([new("default", Lanes, ByKey: true)]);
            List<HostilePeer> lanes = [];
            for (var lane = 0; lane < Lanes; lane++)
            {
                lanes.Add(await SayHelloAsync(server, "hostile", plan: plan, lane: lane));
                await lanes[^1].OpenAsync();
            }

            var request = HostilePeer.Message(FrameKind.Request, 1, "echo", 60_000);
            await Task.WhenAll(lanes.Select(lane => lane.SayUntilCutOffAsync(request, 150)));
        });

    [Fact]
    public Task A_silos_name_borne_by_a_client_and_by_a_silo_of_another_cluster() => UnderAsync(
        "geo.messaging.refusals:PeerIdInUse",
        async server =>
        {
            foreach (var (allowed, cluster) in new[] { ("geo-client:*", ""), ("geo-cluster:asia", "asia") })
            {
                var thief = await SayHelloAsync(server, "us/1", cluster, incarnation: long.MaxValue, certificate: allowed);
                await thief.OpenAsync();
                var late = await SayHelloAsync(server, "us/1", cluster, incarnation: 1, certificate: allowed);
                Assert.Equal(RefusalReason.PeerIdInUse, Assert.IsType<Refusal>(await late.AnswerAsync()).Reason);
            }
        },
        secured: true);

    [Fact]
    public Task Theft_of_a_name_and_of_a_cluster() => UnderAsync(
        "geo.messaging.refusals:Untrusted",
        async server =>
        {
            for (var attempt = 0; attempt < 20; attempt++)
            {
                var thief = await SayHelloAsync(server, "us/1", "us", incarnation: long.MaxValue, certificate: "geo-client:*");
                Assert.Equal(RefusalReason.Untrusted, Assert.IsType<Refusal>(await thief.AnswerAsync()).Reason);
            }
        },
        secured: true);

    [Fact]
    public Task A_service_between_clusters_called_by_a_client() => UnderAsync(
        "geo.messaging.dropped:no-handler",
        async server =>
        {
            var peer = await JoinAsync(server);
            await peer.SayAsync(HostilePeer.OneWay("between-clusters", 100));
        });

    [Fact]
    public Task A_handler_that_blocks_for_a_peer_that_comes_back_again_and_again() => UnderAsync(
        "geo.messaging.dropped:link-down",
        async server =>
        {
            for (long start = 1; start <= 5; start++)
            {
                using var peer = await JoinAsync(server, incarnation: start);
                await peer.SayAsync(HostilePeer.OneWay("block", 100), HostilePeer.OneWay("block", 100), HostilePeer.OneWay("block", 100));
            }
        });

    [Fact]
    public Task Links_whose_other_end_is_gone_without_a_word() => UnderAsync(
        "geo.messaging.cut_off:silent",
        async server =>
        {
            for (var peer = 0; peer < ServerProgram.MaxConnections / 2; peer++)
            {
                await JoinAsync(server, $"gone-{peer}");
            }
        });

    [Fact]
    public Task More_links_than_the_node_has_room_for() => UnderAsync(
        "geo.messaging.refusals:TooManyConnections",
        async server =>
        {
            var plan = new LanePlan([new("default", ServerProgram.MaxConnections, ByKey: true)]);
            for (var attempt = 0; attempt < 20; attempt++)
            {
                var peer = await SayHelloAsync(server, $"greedy-{attempt}", plan: plan);
                Assert.Equal(RefusalReason.TooManyConnections, Assert.IsType<Refusal>(await peer.AnswerAsync()).Reason);
            }
        });

    // The two faults by which Partisan's implementation could be stopped: a port that is looked at, and a message of an unknown kind.
    [Fact]
    public Task One_connection_that_closes_at_once_and_one_message_of_an_unknown_kind() => UnderAsync(
        "geo.messaging.cut_off:protocol",
        async server =>
        {
            (await ConnectAsync(server)).Dispose();
            var peer = await JoinAsync(server);
            var unknown = HostilePeer.Frame(FrameKind.Ping, 1, []);
            unknown[4] = 200;
            await peer.SayAsync(unknown);
        });

    [Fact]
    public Task Something_else_than_Geo() => UnderAsync(
        "geo.messaging.refusals:Malformed",
        async server =>
        {
            for (var browser = 0; browser < 2 * ServerProgram.MaxConnections; browser++)
            {
                await (await ConnectAsync(server)).SayAsync("GET / HTTP/1.1\r\n\r\n"u8.ToArray());
            }
        });

    private async Task UnderAsync(string counted, Func<ServerProcess, Task> attack, bool secured = false)
    {
        _honest = secured ? _authority.Issue("us") : null;
        var server = _server = await ServerProcess.StartAsync(secured ? _authority.Issue("eu") : null);
        var known = await HonestAsync("us/1", server);
        await ServesAsync(known, 1_000_000);
        _quiet = await ServerProcess.StartAsync(secured ? _authority.Issue("eu") : null);
        _knownToQuiet = await HonestAsync("us/2", _quiet);
        await ServesAsync(_knownToQuiet, 1_000_000);
        var before = server.PeakBytes;

        // All come from one address: of those whose link is not open any may be one too many. Its dialler dials again.
        var mayBeCutOff = counted.EndsWith(":too-many-opening", StringComparison.Ordinal);
        var attacking = attack(server);
        await ServesWithinASecondAsync(known, server, mayBeCutOff);
        await Eventually.InTimeAsync(attacking);
        await ServesWithinASecondAsync(known, server, mayBeCutOff);

        await Eventually.HoldsAsync(async () => (await server.CountsAsync()).GetValueOrDefault(counted) > 0, $"{counted} is counted");
        Assert.Contains(known.Members, member => member.Peer.Name == "eu/1");
        Assert.InRange(server.PeakBytes - before, 0, MemoryBound);
    }

    // Each time, and a busy machine holds up both servers alike.
    private async Task ServesWithinASecondAsync(MessagingNode known, ServerProcess server, bool mayBeCutOff)
    {
        for (var attempt = 0; attempt < 3; attempt++)
        {
            var quiet = TimeOfServiceAsync(_knownToQuiet!, _quiet!);
            var took = await TimeOfServiceAsync(known, server, mayBeCutOff);
            Assert.True(
                took < Served + (await quiet),
                $"a peer that was connected and a fresh one were served in {took.TotalSeconds:0.0} s, without an attack in"
                + $" {(await quiet).TotalSeconds:0.0} s");
        }
    }

    private async Task<TimeSpan> TimeOfServiceAsync(MessagingNode known, ServerProcess server, bool mayBeCutOff = false)
    {
        var watch = Stopwatch.StartNew();
        await ServesAsync(known, 100);
        var fresh = await HonestAsync($"us/{Guid.NewGuid()}", server);
        if (mayBeCutOff)
        {
            await Eventually.HoldsAsync(
                async () => (await AskAsync(fresh, 100)).Outcome == ReplyOutcome.Replied, "the fresh one is served");
        }
        else
        {
            await ServesAsync(fresh, 100);
        }

        var took = watch.Elapsed;
        await fresh.DisposeAsync();
        return took;
    }

    private static async Task ServesAsync(MessagingNode from, int bytes)
    {
        var reply = await AskAsync(from, bytes);
        Assert.True(reply.Outcome == ReplyOutcome.Replied && reply.Payload.Length == bytes, reply.Reason);
    }

    private static Task<ClusterReply> AskAsync(MessagingNode from, int bytes) => Eventually.InTimeAsync(
        from.RequestAsync(new PeerId("eu/1"), "echo", new byte[bytes], default, Net.Token).AsTask());

    private async Task<MessagingNode> HonestAsync(string name, ServerProcess server)
    {
        var node = await _net.StartAsync(
            name, options => options with { ClusterInstance = "us", Tls = _honest });
        await Eventually.InTimeAsync(node.JoinAsync(server.Address, cancellationToken: Net.Token));
        return node;
    }

    private async Task<HostilePeer> JoinAsync(ServerProcess server, string name = "hostile", long incarnation = 1)
    {
        var peer = await SayHelloAsync(server, name, incarnation: incarnation);
        Assert.IsType<Welcome>(await peer.AnswerAsync());
        await peer.SayAsync(HostilePeer.Frame(FrameKind.Ready, 0, []));
        return peer;
    }

    private async Task<HostilePeer> SayHelloAsync(
        ServerProcess server, string name, string cluster = "", long incarnation = 1, LanePlan? plan = null, string? certificate = null,
        int lane = 0)
    {
        plan ??= new LanePlan([new("default", 1)]);
        var peer = await ConnectAsync(server, certificate);
        var identity = new PeerIdentity(
            new PeerId(name), cluster.Length == 0 ? default : new ClusterId(cluster), "hostile", incarnation);
        await peer.SayAsync(Handshake.Write(new Hello(
            WireVersions.Current, identity, default, 1, plan, plan.Lanes[lane], int.MaxValue, int.MaxValue)));
        return peer;
    }

    private async Task<HostilePeer> ConnectAsync(ServerProcess server, string? certificate = null)
    {
        IWireTransport transport = SocketTransport.Instance;
        if (certificate is not null)
        {
            var tls = _authority.Issue("hostile", peer: certificate);
            transport = new TlsTransport(tls, new TlsCredentialFiles(tls, TimeProvider.System, NullLogger.Instance));
        }

        var peer = new HostilePeer(await transport.ConnectAsync(server.Address, Net.Token));
        _open.Add(peer);
        return peer;
    }
}
