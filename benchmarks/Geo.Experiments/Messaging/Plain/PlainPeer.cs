using System.Net;
using System.Net.Sockets;
using Geo.Experiments.Messaging.Load;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>A peer of the socket program: peer 1 sends back and counts, peer 0 loads it.</summary>
internal sealed class PlainPeer : IExperimentPeer
{
    private readonly PeerSettings _settings;
    private readonly Socket _listener;
    private long _arrived;

    private PlainPeer(PeerSettings settings)
    {
        _settings = settings;
        _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _listener.Bind(new IPEndPoint(IPAddress.Parse(settings.Address), 0));
        _listener.Listen();
        _ = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    public static PlainPeer Start(PeerSettings settings) => new(settings);

    public async Task<PeerFigures?> RunAsync(IReadOnlyList<IPEndPoint> addresses)
    {
        if (_settings.Index != 0)
        {
            return null;
        }

        using var target = await PlainTarget.ConnectAsync(addresses[1], _settings);
        return await EchoLoad.RunAsync(target, _settings);
    }

    public ValueTask DisposeAsync()
    {
        _listener.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            var socket = await _listener.AcceptAsync();
            _ = Task.Run(async () => await new PlainConnection(await PlainWires.AcceptedAsync(socket, _settings), Serve).ReceiveAsync());
        }
    }

    private void Serve(PlainConnection connection, Frame frame, ReadOnlyMemory<byte> payload, byte[]? owned)
    {
        switch (frame.Kind)
        {
            case FrameKind.Request:
                connection.Send(frame with { Kind = FrameKind.Reply }, payload, owned);
                break;
            case FrameKind.OneWay:
                Interlocked.Increment(ref _arrived);
                break;
            case FrameKind.Count:
                connection.Send(new Frame(FrameKind.Count, 0, Interlocked.Read(ref _arrived)), default);
                break;
        }
    }
}
