using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Geo.Testing.Wan;

namespace Geo.Experiments.Regions;

/// <summary>
/// How long a byte takes there and back over a link that is slowed down, with nothing of Geo on the way: a timer is some milliseconds late,
/// and what runs over such links is late by that.
/// </summary>
internal static class EmulatedTrips
{
    private const int Warming = 20;

    /// <returns>The times in milliseconds, in the order in which they were taken.</returns>
    public static async Task<double[]> MeasureAsync(TimeSpan roundTrip, int count, CancellationToken cancellationToken)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var echo = EchoAsync(listener, end.Token);
        var times = new double[count];
        await using (var link = DelayedLink.Start(
            new DelayedLinkOptions { Target = (IPEndPoint)listener.LocalEndpoint, OneWayDelay = roundTrip / 2 }))
        {
            using var client = new TcpClient { NoDelay = true };
            await client.ConnectAsync(link.ListeningOn, cancellationToken);
            var (stream, one) = (client.GetStream(), new byte[1]);
            for (var i = -Warming; i < count; i++)
            {
                var began = Stopwatch.GetTimestamp();
                await stream.WriteAsync(one, cancellationToken);
                await stream.ReadExactlyAsync(one, cancellationToken);
                if (i >= 0)
                {
                    times[i] = Stopwatch.GetElapsedTime(began).TotalMilliseconds;
                }
            }
        }

        await end.CancelAsync();
        await echo.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return times;
    }

    private static async Task EchoAsync(TcpListener listener, CancellationToken cancellationToken)
    {
        using var server = await listener.AcceptTcpClientAsync(cancellationToken);
        server.NoDelay = true;
        var stream = server.GetStream();
        await stream.CopyToAsync(stream, cancellationToken);
    }
}
