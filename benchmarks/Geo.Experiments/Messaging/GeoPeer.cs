using System.Buffers.Binary;
using System.Net;
using EchoSample;
using Geo.Experiments.Messaging.Load;
using Geo.Messaging;

namespace Geo.Experiments.Messaging;

/// <summary>A peer over Geo.Messaging: peer 1 serves, peer 0 loads it.</summary>
internal sealed class GeoPeer : IExperimentPeer, IMessageTarget
{
    private const string CountedService = "counted";
    private const string CountService = "count";

    private readonly PeerSettings _settings;
    private readonly MessagingNode _node;
    private readonly PeerId _server = GeoNode.IdOf(1);
    private readonly EchoClient[] _clients;
    private long _arrived;
    private long _sequence;

    private GeoPeer(PeerSettings settings, MessagingNode node)
    {
        (_settings, _node) = (settings, node);
        _clients = [new EchoClient(node, _server),
            new EchoClient(node, _server, settings.Variant.BackgroundLanes > 0 ? GeoNode.BackgroundChannel : null)];
        if (settings.Cell.Workload == Workload.LoopbackAwait)
        {
            node.Handle(EchoService.Name, async (message, _) =>
            {
                await Task.Yield();
                return message.Payload;
            });
        }
        else
        {
            EchoService.AddTo(node);
        }

        node.Handle(CountedService, (_, _) =>
        {
            Interlocked.Increment(ref _arrived);
            return default;
        });
        node.Handle(CountService, (_, _) =>
        {
            var reply = new byte[sizeof(long)];
            BinaryPrimitives.WriteInt64LittleEndian(reply, Interlocked.Read(ref _arrived));
            return ValueTask.FromResult<ReadOnlyMemory<byte>>(reply);
        });
    }

    public int Port => _node.ListeningOn!.Port;

    public static async Task<GeoPeer> StartAsync(PeerSettings settings) => new(settings, await GeoNode.StartAsync(settings));

    public async Task<PeerFigures?> RunAsync(IReadOnlyList<IPEndPoint> addresses)
    {
        if (_settings.Index != 0)
        {
            return null;
        }

        await _node.JoinAsync(new PeerAddress(addresses[1].Address.ToString(), addresses[1].Port));
        return await EchoLoad.RunAsync(this, _settings);
    }

    public async ValueTask EchoAsync(Traffic traffic, int actor, ReadOnlyMemory<byte> payload)
    {
        var back = await _clients[(int)traffic].EchoAsync(payload, KeyOf(traffic, actor));
        if (back != payload.Length)
        {
            throw new GeoUnavailableException($"{payload.Length} bytes were sent and {back} came back.");
        }
    }

    public async ValueTask SendAsync(int actor, ReadOnlyMemory<byte> payload)
    {
        var options = new MessageOptions(PartitionKey: KeyOf(Traffic.Foreground, actor));
        if (await _node.SendAsync(_server, CountedService, payload, options) is var outcome && outcome != SendOutcome.Queued)
        {
            throw new GeoUnavailableException($"A message was not sent: {outcome}.");
        }
    }

    public async ValueTask<long> CountAsync()
    {
        var reply = await _node.RequestAsync(_server, CountService, default);
        return reply.Outcome == ReplyOutcome.Replied
            ? BinaryPrimitives.ReadInt64LittleEndian(reply.Payload.Span)
            : throw new GeoUnavailableException($"The count did not arrive: {reply.Outcome}, {reply.Reason}");
    }

    public ValueTask DisposeAsync() => _node.DisposeAsync();

    private PartitionKey KeyOf(Traffic traffic, int actor) => _settings.Variant.HasAffinity
        ? new PartitionKey((ulong)traffic, (ulong)actor)
        : PartitionKey.From(Interlocked.Increment(ref _sequence));
}
