using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Geo.Messaging.Tests.Wire;

[Collection(ProcessWide.Name)]
public sealed class ReceivePollingTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    [Fact]
    public void New_connections_hold_no_threads_where_others_want_the_processors()
    {
        var sockets = Enumerable.Range(0, 100).Select(_ => new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp))
            .ToArray();
        Array.ForEach(sockets, socket => socket.Bind(new IPEndPoint(IPAddress.Loopback, 0)));
        using var enough = new CancellationTokenSource();
        var busy = Enumerable.Range(0, 4 * Environment.ProcessorCount).Select(_ => new Thread(() =>
        {
            while (!enough.IsCancellationRequested)
            {
                Thread.SpinWait(1_000);
            }
        })).ToArray();
        Array.ForEach(busy, thread => thread.Start());

        var began = Stopwatch.GetTimestamp();
        foreach (var socket in sockets)
        {
            new ReceivePolling(socket).Look();
        }

        var took = Stopwatch.GetElapsedTime(began);
        enough.Cancel();
        Array.ForEach(busy, thread => thread.Join());
        Array.ForEach(sockets, socket => socket.Dispose());
        Assert.True(took < Limit, $"{sockets.Length} looks took {took.TotalSeconds:F1} s");
    }
}
