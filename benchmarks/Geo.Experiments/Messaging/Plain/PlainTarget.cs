using System.Net;
using Geo.Experiments.Messaging.Load;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>The loading side of the socket program: every actor has its connection, which is shared when there are more actors.</summary>
internal sealed class PlainTarget : IMessageTarget, IDisposable
{
    private const int MostActors = 1024;

    private readonly PlainConnection[][] _connections = new PlainConnection[2][];
    private readonly PlainReply[] _replies;
    private readonly PlainReply _count = new(pooled: true);

    private PlainTarget(Variant variant) =>
        _replies = [.. Enumerable.Range(0, 2 * MostActors).Select(_ => new PlainReply(variant.PooledActors))];

    public static async Task<PlainTarget> ConnectAsync(IPEndPoint address, PeerSettings settings)
    {
        var variant = settings.Variant;
        var target = new PlainTarget(variant);
        var foreground = await target.ConnectAsync(address, variant.Lanes, settings);
        target._connections[(int)Traffic.Foreground] = foreground;
        target._connections[(int)Traffic.Background] =
            variant.BackgroundLanes == 0 ? foreground : await target.ConnectAsync(address, variant.BackgroundLanes, settings);
        return target;
    }

    public async ValueTask EchoAsync(Traffic traffic, int actor, ReadOnlyMemory<byte> payload)
    {
        var number = ((int)traffic * MostActors) + actor;
        var reply = _replies[number].NextAsync();
        ConnectionOf(traffic, actor).Send(new Frame(FrameKind.Request, payload.Length, number), payload);
        await reply;
    }

    public async ValueTask SendAsync(int actor, ReadOnlyMemory<byte> payload)
    {
        var connection = ConnectionOf(Traffic.Foreground, actor);
        await connection.WhenRoomAsync();
        connection.Send(new Frame(FrameKind.OneWay, payload.Length, 0), payload);
    }

    public ValueTask<long> CountAsync()
    {
        var count = _count.NextAsync();
        ConnectionOf(Traffic.Foreground, 0).Send(new Frame(FrameKind.Count, 0, 0), default);
        return count;
    }

    public void Dispose()
    {
        foreach (var connection in _connections.SelectMany(group => group).Distinct())
        {
            connection.Dispose();
        }
    }

    private PlainConnection ConnectionOf(Traffic traffic, int actor) =>
        _connections[(int)traffic][actor % _connections[(int)traffic].Length];

    private async Task<PlainConnection[]> ConnectAsync(IPEndPoint address, int count, PeerSettings settings)
    {
        var connections = new PlainConnection[count];
        for (var i = 0; i < count; i++)
        {
            connections[i] = new PlainConnection(await PlainWires.ConnectAsync(address, settings), Receive);
            _ = Task.Run(connections[i].ReceiveAsync);
        }

        return connections;
    }

    private void Receive(PlainConnection connection, Frame frame, ReadOnlyMemory<byte> payload, byte[]? owned)
    {
        if (owned is not null)
        {
            PayloadPool.Return(owned);
        }

        (frame.Kind == FrameKind.Count ? _count : _replies[frame.Number]).Complete(frame.Number);
    }
}
