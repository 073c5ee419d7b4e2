using System.Text;
using Geo;
using Geo.Messaging;
using KeyValueSample;
using Microsoft.Extensions.Logging.Abstractions;

namespace KeyValue.Tests;

public sealed class QuorumStoreTests : IAsyncLifetime
{
    private static readonly PeerId[] Ids = [new("a"), new("b"), new("c")];

    private readonly List<MessagingNode> _nodes = [];
    private readonly List<Replica> _replicas = [];
    private readonly List<QuorumStore> _stores = [];

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        foreach (var id in Ids)
        {
            var node = new MessagingNode(
                new MessagingOptions { Peer = id, ListenOn = PeerAddress.Loopback() }, TimeProvider.System, NullLoggerFactory.Instance);
            var replica = new Replica(TimeSpan.FromMilliseconds(1), TimeProvider.System);
            replica.AddTo(node);
            await node.StartAsync(Stop);
            foreach (var known in _nodes)
            {
                await node.JoinAsync(known.ListeningOn!, cancellationToken: Stop);
            }

            _nodes.Add(node);
            _replicas.Add(replica);
            _stores.Add(new QuorumStore(node, replica, new Ring(Ids), PartitionKey.From, TimeProvider.System));
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var node in _nodes)
        {
            await node.DisposeAsync();
        }
    }

    [Fact]
    public async Task What_one_peer_wrote_every_peer_reads()
    {
        await _stores[0].PutAsync("key", "value"u8.ToArray(), Stop);

        foreach (var store in _stores)
        {
            Assert.Equal("value", await ReadAsync(store));
        }
    }

    [Fact]
    public async Task The_newest_of_the_answers_is_read()
    {
        _replicas[0].Keep("key", new Versioned(1, "old"u8.ToArray()).ToBytes());
        _replicas[1].Keep("key", new Versioned(2, "new"u8.ToArray()).ToBytes());
        _replicas[2].Keep("key", new Versioned(2, "new"u8.ToArray()).ToBytes());

        Assert.Equal("new", await ReadAsync(_stores[0]));
    }

    [Fact]
    public async Task An_older_value_does_not_replace_a_newer_one()
    {
        var replica = new Replica(TimeSpan.Zero, TimeProvider.System);
        replica.Keep("key", new Versioned(2, "new"u8.ToArray()).ToBytes());
        replica.Keep("key", new Versioned(1, "old"u8.ToArray()).ToBytes());

        Assert.Equal(2UL, Versioned.Read(await replica.GetAsync("key", Stop)).Stamp);
    }

    [Fact]
    public async Task A_key_that_was_never_written_reads_as_empty() => Assert.Equal("", await ReadAsync(_stores[2]));

    [Fact]
    public async Task Two_peers_of_three_go_on_and_one_alone_says_that_it_cannot()
    {
        await _nodes[2].DisposeAsync();
        await _stores[0].PutAsync("key", "value"u8.ToArray(), Stop);
        Assert.Equal("value", await ReadAsync(_stores[1]));

        await _nodes[1].DisposeAsync();
        await Assert.ThrowsAsync<GeoUnavailableException>(() => _stores[0].GetAsync("key", Stop));
    }

    private static async Task<string> ReadAsync(QuorumStore store) => Encoding.UTF8.GetString((await store.GetAsync("key", Stop)).Span);
}
