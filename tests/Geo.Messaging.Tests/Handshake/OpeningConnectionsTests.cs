namespace Geo.Messaging.Tests;

/// <summary>Which of the connections whose link is not open gives way to one more.</summary>
public sealed class OpeningConnectionsTests
{
    private const int Most = 40;

    private readonly OpeningConnections _opening = new(Most);
    private readonly List<OpeningWire> _wires = [];

    [Fact]
    public void The_oldest_from_the_address_that_has_most_gives_way()
    {
        Add("honest:1");
        Fill("hostile");

        Assert.Equal(_wires[1], Add("hostile:9"));
        Assert.Equal(_wires[2], Add("honest:2"));
    }

    /// <summary>Who opens it has said what is to be said, and this node has not read it yet.</summary>
    [Fact]
    public void One_that_waits_for_this_node_does_not_give_way_to_those_that_came_later()
    {
        Fill("all");
        _wires[0].HasUnread = true;
        _wires[2].HasUnread = true;

        Assert.Equal(_wires[1], Add("all:41"));
        Assert.Equal(_wires[3], Add("all:42"));
        _wires[0].HasUnread = false;
        Assert.Equal(_wires[0], Add("all:43"));
    }

    /// <summary>Else who sends what nobody reads would keep all others out.</summary>
    [Fact]
    public void Where_all_of_the_oldest_have_sent_something_the_oldest_gives_way()
    {
        Fill("all");
        _wires.ForEach(wire => wire.HasUnread = true);

        Assert.Equal(_wires[0], Add("all:41"));
        Assert.InRange(_wires.Sum(wire => wire.Asked), 1, Most - 1);
    }

    [Fact]
    public void One_that_is_open_or_has_ended_gives_way_no_more_and_makes_room()
    {
        Fill("all");
        _opening.Remove(_wires[0]);
        _opening.Remove(_wires[0]);

        Assert.Null(Add("all:41"));
        Assert.Equal(_wires[1], Add("all:42"));
    }

    /// <summary>However late this node comes to taking the link into use.</summary>
    [Fact]
    public async Task A_link_whose_connections_have_all_come_loses_none_to_those_that_come_next()
    {
        const int Lanes = 3;
        for (var round = 0; round < 50; round++)
        {
            var plan = new LanePlan([new("default", Lanes, ByKey: true)]);
            var link = plan.Lanes.Select(lane => new AtOnceTransport.Wire(HelloOf(plan, lane), HostilePeer.Frame(FrameKind.Ready, 0, [])));
            AtOnceTransport.Wire[] lanes = [.. link];
            var transport = new AtOnceTransport([.. lanes, .. Enumerable.Range(0, 2 * Lanes).Select(_ => new AtOnceTransport.Wire())]);
            await using var net = new Net();
            var node = await net.ListenAsync("eu/1", options => options with { MaxOpeningConnections = Lanes }, transport);

            await Eventually.InTimeAsync(transport.AllAccepted.Task);
            await Eventually.HoldsAsync(() => node.Members.Count == 1 || lanes.Any(wire => wire.IsClosed), "the link is open");

            Assert.DoesNotContain(lanes, wire => wire.IsClosed);
        }
    }

    private static byte[] HelloOf(LanePlan plan, LaneId lane) => Handshake.Write(new Hello(
        WireVersions.Current, new PeerIdentity(new PeerId("us/1"), default, "us", 1), default, 1, plan, lane, int.MaxValue, int.MaxValue));

    private void Fill(string address)
    {
        while (_wires.Count < Most)
        {
            Assert.Null(Add($"{address}:{_wires.Count}"));
        }
    }

    private IWireConnection? Add(string remote)
    {
        _wires.Add(new OpeningWire(remote));
        return _opening.Add(_wires[^1]);
    }

    private sealed class OpeningWire(string remote) : IWireConnection
    {
        public string Remote => remote;

        /// <summary>How often it was asked whether something waits.</summary>
        public int Asked { get; private set; }

        public bool HasUnread
        {
            get
            {
                Asked++;
                return field;
            }
            set;
        }

        public ValueTask SendAsync(List<ArraySegment<byte>> segments) => throw new NotSupportedException();

        public ValueTask<int> ReceiveAsync(Memory<byte> buffer) => throw new NotSupportedException();

        public void FinishSending() => throw new NotSupportedException();

        public void Dispose()
        {
        }
    }
}
