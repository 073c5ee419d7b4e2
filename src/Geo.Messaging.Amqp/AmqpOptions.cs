using System.ComponentModel.DataAnnotations;
using System.Security.Cryptography.X509Certificates;

namespace Geo.Messaging.Amqp;

/// <summary>The broker that carries an overlay, and the limits of what waits for it.</summary>
public sealed record AmqpOptions
{
    /// <summary>The local peer.</summary>
    public required PeerId Peer { get; init; }

    /// <summary>
    /// The broker, with user and virtual host: <c>amqps://user:password@host:5671/vhost</c>. Beyond loopback it must be <c>amqps</c>,
    /// unless <see cref="AllowInsecure"/> is set.
    /// </summary>
    [Required]
    public required Uri Broker { get; init; }

    /// <summary>True to speak to a broker beyond loopback without TLS; false by default.</summary>
    public bool AllowInsecure { get; init; }

    /// <summary>The certificate by which this peer proves itself to the broker; none by default.</summary>
    public X509Certificate2? ClientCertificate { get; init; }

    /// <summary>
    /// The PEM file with the certificates of the authorities that may have signed the broker's; those that the machine trusts when null,
    /// the default. Read again with each connection.
    /// </summary>
    public string? AuthorityFile { get; init; }

    /// <summary>
    /// The fanout exchange that all peers of the overlay share, and the beginning of their queues' names; <c>geo.overlay</c> by default. It
    /// is declared by the peers and goes with the last of them.
    /// </summary>
    [Required]
    [RegularExpression("[A-Za-z0-9._-]{1,63}", ErrorMessage = "Exchange must be 1 to 63 letters, digits, dots, dashes or underscores")]
    public string Exchange { get; init; } = "geo.overlay";

    /// <summary>How often a peer says that it is there; 1 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.020", "00:10:00")]
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// After how long without a word a peer is taken for gone; 4 s by default. The broker tells sooner when it has lost the peer.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "01:00:00")]
    public TimeSpan DeadAfter { get; init; } = TimeSpan.FromSeconds(4);

    /// <summary>The most other peers; 1,024 by default. Further ones are passed over and counted.</summary>
    [Range(1, 100_000)]
    public int MaxPeers { get; init; } = 1024;

    /// <summary>The wait before a lost broker is dialled again, doubled each time and jittered; 200 ms by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan ReconnectDelay { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>The longest such wait; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan MaxReconnectDelay { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long dialling the broker, and one of its answers, may take; 5 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:10:00")]
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The most frames that wait to be sent to the broker; 65,536 by default. One more is refused.</summary>
    [Range(1, int.MaxValue)]
    public int OutboundMessages { get; init; } = 65_536;

    /// <summary>The most bytes of those frames; 32 MiB by default.</summary>
    [Range(1024, int.MaxValue)]
    public int OutboundBytes { get; init; } = 32 * 1024 * 1024;

    /// <summary>
    /// The most bytes of the transport's own messages (presence, goodbyes, cut-offs) that wait to be sent to the broker; 1 MiB by default.
    /// With more of them the broker is taken for lost and dialled anew.
    /// </summary>
    [Range(1024, int.MaxValue)]
    public int OutboundOwnBytes { get; init; } = 1024 * 1024;

    /// <summary>The most bytes of one frame; 16 MiB by default. A longer one is refused.</summary>
    [Range(1024, 128 * 1024 * 1024)]
    public int MaxFrameBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>The most frames that the broker has not confirmed; 1,024 by default. The next waits among the outbound ones.</summary>
    [Range(1, 65_536)]
    public int Unconfirmed { get; init; } = 1024;

    /// <summary>How long the broker may take to confirm before it is dialled anew; 15 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:10:00")]
    public TimeSpan ConfirmTimeout { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>The most frames that the broker keeps for this peer; 65,536 by default. One more is refused to its sender.</summary>
    [Range(1, int.MaxValue)]
    public int QueueMessages { get; init; } = 65_536;

    /// <summary>The most bytes of those frames; 64 MiB by default.</summary>
    [Range(1024, int.MaxValue)]
    public int QueueBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>The most frames that the broker sends before this peer has handled them; 512 by default.</summary>
    [Range(4, 65_535)]
    public int Prefetch { get; init; } = 512;

    internal bool IsSecure => string.Equals(Broker.Scheme, "amqps", StringComparison.OrdinalIgnoreCase);

    internal PeerAddress BrokerAddress => new(Broker.IdnHost, Broker.Port > 0 ? Broker.Port : IsSecure ? 5671 : 5672);

    /// <exception cref="GeoConfigurationException">An option is out of range; the message names all that are.</exception>
    internal void Check()
    {
        List<string> broken = [];
        if (Broker is { } broker && (!broker.IsAbsoluteUri || broker.Scheme is not ("amqp" or "amqps")))
        {
            broken.Add($"Broker must be an amqp or amqps address, not '{broker}'");
        }
        else if (Broker is not null && !IsSecure && !BrokerAddress.IsLoopback && !AllowInsecure)
        {
            broken.Add("Broker is beyond loopback and not amqps: use TLS, or set AllowInsecure");
        }

        if (AuthorityFile is not null && !File.Exists(AuthorityFile))
        {
            broken.Add($"AuthorityFile {AuthorityFile} does not exist");
        }

        if (DeadAfter < HeartbeatInterval * 2)
        {
            broken.Add("DeadAfter must be at least twice HeartbeatInterval");
        }

        OptionsCheck.Check($"The AMQP options of peer '{Peer}'", [this], broken);
    }
}
