using System.Net.Sockets;

namespace Geo.Testing.Wan;

/// <summary>One connection through a link: two delay lines, which end together when something goes wrong.</summary>
internal sealed class DelayedConnection(DelayedLink link, Socket client, DelayedLinkOptions options) : IDisposable
{
    // Never disposed of, as a cut may come at any time; it has no timer that would need it.
    private readonly CancellationTokenSource _stop = new();

    /// <summary>Resets both ends.</summary>
    public void Cut() => _stop.Cancel();

    /// <summary>Carries bytes until both ends have closed, one was reset or the link was cut.</summary>
    public async Task RunAsync()
    {
        using var target = new Socket(options.Target.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        client.NoDelay = true;
        try
        {
            await link.Gate.PassAsync(_stop.Token);
            await target.ConnectAsync(options.Target, _stop.Token);
            var there = new DelayLine(link, options.MaxBytesUnderWay);
            var back = new DelayLine(link, options.MaxBytesUnderWay);
            await Task.WhenAll(
                OrStopAsync(there.ReceiveAsync(client, _stop.Token)),
                OrStopAsync(there.SendAsync(target, _stop.Token)),
                OrStopAsync(back.ReceiveAsync(target, _stop.Token)),
                OrStopAsync(back.SendAsync(client, _stop.Token)));
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException)
        {
            // Whatever broke one end breaks the other: that is how it learns of it.
            client.Close(timeout: 0);
            target.Close(timeout: 0);
        }
    }

    public void Dispose() => client.Dispose();

    private async Task OrStopAsync(Task part)
    {
        try
        {
            await part;
        }
        catch
        {
            await _stop.CancelAsync();
            throw;
        }
    }
}
