using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>
/// A node with narrow bounds that serves until its input ends. It prints its port, and for each line that it reads what its instruments
/// have counted with a reason.
/// </summary>
internal static class ServerProgram
{
    public const string Command = "hostile-server";
    public const int MaxMessage = 8 * 1024 * 1024;
    public const int MaxLarge = 4 * MaxMessage;
    public const int MaxConnections = 64;

    private static readonly ConcurrentDictionary<(string Instrument, string Reason), long> Counts = new();

    /// <param name="args">The files of its TLS certificate, key and authority; nothing for plain TCP.</param>
    public static async Task<int> RunAsync(string[] args)
    {
        using var listening = Listen();
        await using var node = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId("eu/1"),
                Cluster = new ClusterId("eu"),
                ListenOn = PeerAddress.Loopback(),
                Tls = args is [var certificate, var key, var authority]
                    ? new TlsOptions { CertificateFile = certificate, KeyFile = key, AuthorityFile = authority }
                    : null,
                MaxMessageBytes = MaxMessage,
                MaxLargeBytes = MaxLarge,
                MaxReplyBytes = 2 * (MaxMessage + FrameHeader.Size),
                MaxSmallBytes = MaxMessage,
                MaxAnswerBytes = 256 * 1024,
                MaxRunningHandlers = 100,
                MaxConnections = MaxConnections,
                MaxOpeningConnections = MaxConnections,
                HeartbeatInterval = TimeSpan.FromMilliseconds(500),
                DeadLinkAfter = TimeSpan.FromSeconds(5),
            },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        node.Handle("echo", (message, _) => new(message.Payload));
        node.Handle("slow", async (_, token) =>
        {
            await Task.Delay(TimeSpan.FromMinutes(1), token);
            return default;
        });
        node.Handle("block", (_, token) =>
        {
            token.WaitHandle.WaitOne(TimeSpan.FromMinutes(1));
            Thread.Sleep(TimeSpan.FromMinutes(1));
            return default;
        });
        node.HandleClusters("between-clusters", (message, _) => new(message.Payload));
        await node.StartAsync();
        Console.WriteLine(node.ListeningOn!.Port);
        while (Console.ReadLine() is not null)
        {
            Console.WriteLine(string.Join(' ', Counts.Select(count => $"{count.Key.Instrument}:{count.Key.Reason}={count.Value}")));
        }

        // What blocks is not waited for.
        Environment.Exit(0);
        return 0;
    }

    private static MeterListener Listen()
    {
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == MessagingMetrics.MeterName && instrument is Counter<long>)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            foreach (var tag in tags)
            {
                if (tag is { Key: "geo.reason", Value: string reason })
                {
                    // As often as an attacker likes: it makes nothing.
                    Counts.AddOrUpdate(
                        (instrument.Name, reason), static (_, more) => more, static (_, before, more) => before + more, value);
                }
            }
        });
        listener.Start();
        return listener;
    }
}
