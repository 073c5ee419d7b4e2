// Two peers on this machine; eight actors of one send messages to the other and wait for them to come back.
using System.Diagnostics;
using EchoSample;
using Geo;
using Geo.Messaging;
using Microsoft.Extensions.Logging.Abstractions;

const int Actors = 8;
const int Messages = 1_000;

await using var server = new MessagingNode(
    new MessagingOptions { Peer = new PeerId("server"), ListenOn = PeerAddress.Loopback() }, TimeProvider.System,
    NullLoggerFactory.Instance);
await using var client = new MessagingNode(
    new MessagingOptions { Peer = new PeerId("client") }, TimeProvider.System, NullLoggerFactory.Instance);
using var service = EchoService.AddTo(server);
await server.StartAsync();
await client.StartAsync();
var echo = new EchoClient(client, await client.JoinAsync(server.ListeningOn!));

var started = Stopwatch.GetTimestamp();
await Task.WhenAll(Enumerable.Range(0, Actors).Select(ActAsync));
Console.WriteLine(
    $"{Actors} actors echoed {Actors * Messages:N0} messages of 1 KB at "
    + $"{Actors * Messages / Stopwatch.GetElapsedTime(started).TotalSeconds:N0} a second");

async Task ActAsync(int actor)
{
    var payload = new byte[1024];
    var key = PartitionKey.From(actor);
    for (var message = 0; message < Messages; message++)
    {
        await echo.EchoAsync(payload, key);
    }
}
