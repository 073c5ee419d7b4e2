using System.Net;
using Geo.Messaging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Experiments.Messaging;

/// <summary>Makes the messaging nodes of an experiment.</summary>
internal static class GeoNode
{
    /// <summary>The channel of the background traffic; not known to nodes whose background shares the default channel.</summary>
    public const string BackgroundChannel = "background";

    private const int MaxMessageBytes = 16 * 1024 * 1024;
    private static readonly TimeSpan RequestTimeout = TimeSpan.FromMinutes(2);

    public static PeerId IdOf(int index) => new($"peer-{index}");

    public static async Task<MessagingNode> StartAsync(PeerSettings settings)
    {
        var variant = settings.Variant;
        var node = new MessagingNode(
            new MessagingOptions
            {
                Peer = IdOf(settings.Index),
                ListenOn = new PeerAddress(IPAddress.Parse(settings.Address).ToString(), 0),

                // The addresses are loopback or those of namespaces that lead nowhere else.
                AllowInsecure = true,
                Tls = settings.CertificateFolder is { } folder ? ExperimentCertificate.Options(folder) : null,
                MaxMessageBytes = MaxMessageBytes,
                RequestTimeout = RequestTimeout,
                DefaultChannel = Channel(ChannelOptions.DefaultName, variant.Lanes, settings),
                Channels = variant.BackgroundLanes == 0 ? [] : [Channel(BackgroundChannel, variant.BackgroundLanes, settings)],
            },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        await node.StartAsync();
        return node;
    }

    // A closed loop bounds itself: there is room for all that its actors can have under way. Where it is not closed, requests wait.
    private static int UnderWay(PeerSettings settings) =>
        (int)Math.Clamp(2L * settings.Cell.Actors * settings.Cell.PayloadBytes, 32 * 1024 * 1024, int.MaxValue);

    private static ChannelOptions Channel(string name, int lanes, PeerSettings settings) => new()
    {
        Name = name,
        Parallelism = lanes,
        Overflow = OverflowPolicy.Wait,
        QueueBytes = UnderWay(settings),
    };
}
