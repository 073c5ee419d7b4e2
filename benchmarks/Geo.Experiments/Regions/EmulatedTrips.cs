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
    private const int AtATime = 8;
    private const int Warming = 20;

    /// <returns>The times in milliseconds.</returns>
    public static async Task<double[]> MeasureAsync(TimeSpan roundTrip, int count, CancellationToken cancellationToken)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var link = DelayedLink.Start(
            new DelayedLinkOptions { Target = (IPEndPoint)listener.LocalEndpoint, OneWayDelay = roundTrip / 2 });
        var times = await Task.WhenAll(Enumerable.Range(0, AtATime).Select(async _ =>
        {
            using var client = new TcpClient { NoDelay = true };
            await client.ConnectAsync(link.ListeningOn, cancellationToken);
            using var server = await listener.AcceptTcpClientAsync(cancellationToken);
            server.NoDelay = true;
            var echo = server.GetStream().CopyToAsync(server.GetStream(), cancellationToken);
            var taken = await TakeAsync(client.GetStream(), count / AtATime, cancellationToken);
            client.Close();
            await echo;
            return taken;
        }));
        return [.. times.SelectMany(taken => taken)];
    }

    private static async Task<double[]> TakeAsync(NetworkStream stream, int count, CancellationToken cancellationToken)
    {
        var (times, one) = (new double[count], new byte[1]);
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

        return times;
    }
}
