// Three peers on this machine hold every key; one of them leaves, and a majority still reads and writes.
using System.Text;
using Geo;
using Geo.Messaging;
using KeyValueSample;
using Microsoft.Extensions.Logging.Abstractions;

var ids = Enumerable.Range(1, 3).Select(number => new PeerId($"peer-{number}")).ToArray();
var nodes = new List<MessagingNode>();
var stores = new List<QuorumStore>();
foreach (var id in ids)
{
    var node = new MessagingNode(
        new MessagingOptions { Peer = id, ListenOn = PeerAddress.Loopback() }, TimeProvider.System, NullLoggerFactory.Instance);
    var replica = new Replica(TimeSpan.FromMilliseconds(1), TimeProvider.System);
    replica.AddTo(node);
    await node.StartAsync();
    foreach (var known in nodes)
    {
        await node.JoinAsync(known.ListeningOn!);
    }

    nodes.Add(node);
    stores.Add(new QuorumStore(node, replica, new Ring(ids), PartitionKey.From, TimeProvider.System));
}

await stores[0].PutAsync("greeting", "hello"u8.ToArray());
Console.WriteLine($"{ids[1]} reads: {await ReadAsync(stores[1])}");
await nodes[2].LeaveAsync();
await stores[1].PutAsync("greeting", "hello again"u8.ToArray());
Console.WriteLine($"{ids[2]} has left; {ids[0]} reads: {await ReadAsync(stores[0])}");
foreach (var node in nodes)
{
    await node.DisposeAsync();
}

async Task<string> ReadAsync(QuorumStore store) => Encoding.UTF8.GetString((await store.GetAsync("greeting")).Span);
