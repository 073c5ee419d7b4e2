using System.ComponentModel.DataAnnotations;

namespace Geo.Messaging;

/// <summary>How a <see cref="MessagingNode"/> presents itself, where it listens, and its limits. Checked when the node starts.</summary>
public sealed record MessagingOptions
{
    /// <summary>This peer's name; required.</summary>
    public required PeerId Peer { get; init; }

    /// <summary>The cluster this peer speaks for; none (the default) for a client.</summary>
    public ClusterId Cluster { get; init; }

    /// <summary>
    /// What tells this cluster from another one that was given the same id by mistake; the peer's own name when null, as fits a cluster
    /// of one silo. All silos of one cluster must share it.
    /// </summary>
    [StringLength(255, MinimumLength = 1)]
    public string? ClusterInstance { get; init; }

    /// <summary>What this node's host and those of its peers tell each other before a link opens; null (the default) for nothing.</summary>
    public IPeerFacts? Facts { get; init; }

    /// <summary>
    /// Where to listen; null (the default) to dial only. Port 0 takes any free port, see <see cref="MessagingNode.ListeningOn"/>.
    /// </summary>
    public PeerAddress? ListenOn { get; init; }

    /// <summary>
    /// Mutual TLS on every connection, with the certificates given; null (the default) for plain TCP. Both sides must agree.
    /// </summary>
    public TlsOptions? Tls { get; init; }

    /// <summary>
    /// Lets this node listen and dial beyond the machine without encryption and without checking who is there; false by default. Only for
    /// networks that are private to the application.
    /// </summary>
    public bool AllowInsecure { get; init; }

    /// <summary>
    /// The channel that carries every message that names no other; one lane by default, because small messages gain more from sharing
    /// a system call than from a connection of their own.
    /// </summary>
    [Required]
    public ChannelOptions DefaultChannel { get; init; } = new() { Parallelism = 1 };

    /// <summary>The named channels; none by default. A message that names another one travels on the default channel.</summary>
    [Required]
    public IReadOnlyList<ChannelOptions> Channels { get; init; } = [];

    /// <summary>How long a request waits for its reply when it does not say; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "1.00:00:00")]
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The largest payload of a message or reply, in bytes; 64 MiB by default. Both sides' limits apply. Payloads above 64 KiB travel in
    /// pieces, between which others pass.
    /// </summary>
    [Range(1024, 1024 * 1024 * 1024)]
    public int MaxMessageBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>
    /// The fewest bytes of large messages that may be on the way to one peer however long its round trip becomes; 4 MiB by default. What
    /// may be on the way adapts between this and <see cref="MaxInFlightBytes"/>.
    /// </summary>
    [Range(256 * 1024, 1024 * 1024 * 1024)]
    public int MinInFlightBytes { get; init; } = 4 * 1024 * 1024;

    /// <summary>
    /// The most bytes of large messages that may be on the way to one peer; 64 MiB by default. Not less than
    /// <see cref="MinInFlightBytes"/>.
    /// </summary>
    [Range(256 * 1024, 1024 * 1024 * 1024)]
    public int MaxInFlightBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>
    /// The most bytes of large messages, and of small ones that follow them, that one lane of one peer gathers and holds back here until
    /// their handlers begin, or one message; 128 MiB by default. The peer is told and waits.
    /// </summary>
    [Range(1024, int.MaxValue)]
    public int MaxGatheredBytes { get; init; } = 128 * 1024 * 1024;

    /// <summary>
    /// The most bytes that large messages of all peers may take at this node, from the first piece until the handler has ended; 1 GiB by
    /// default, at least twice <see cref="MaxMessageBytes"/>. Their buffers are of the runtime's shared pool and up to twice as long. One
    /// peer may take at most as much as is then still free. A message for which there is no room is refused before memory is taken for it:
    /// its requester is told, a one-way message is dropped and counted.
    /// </summary>
    [Range(1024L, long.MaxValue)]
    public long MaxLargeBytes { get; init; } = 1024 * 1024 * 1024;

    /// <summary>
    /// The most bytes that the other messages of all peers may take at this node, with 256 more for each, from their arrival until their
    /// handlers have ended; 256 MiB by default. One peer may take at most as much as is then still free. A message for which there is no
    /// room is refused: its requester is told, a one-way message is dropped and counted.
    /// </summary>
    [Range(1024L * 1024, long.MaxValue)]
    public long MaxSmallBytes { get; init; } = 256 * 1024 * 1024;

    /// <summary>
    /// The most bytes of replies to all peers that may wait to be sent; 256 MiB by default, at least twice <see cref="MaxMessageBytes"/>.
    /// One peer may take at most as much as is then still free. While there is no room for the replies to a peer no handler runs for its
    /// requests, and none of them is answered.
    /// </summary>
    [Range(1024L * 1024, long.MaxValue)]
    public long MaxReplyBytes { get; init; } = 256 * 1024 * 1024;

    /// <summary>
    /// The most bytes of what a connection itself says (probes and answers to them, acknowledgements, cancellations) that may wait to be
    /// sent; 1 MiB by default. A peer that asks for more and does not read it is cut off with the reason.
    /// </summary>
    [Range(1024, int.MaxValue)]
    public int MaxAnswerBytes { get; init; } = 1024 * 1024;

    /// <summary>The most requests to one peer that may wait for their replies; 65,536 by default. One more is refused.</summary>
    [Range(1, int.MaxValue)]
    public int MaxPendingRequests { get; init; } = 65_536;

    /// <summary>
    /// The most handlers that run at once for one peer, those that an earlier link of it has left running among them; 16,384 by default.
    /// One more request is refused, a one-way message dropped.
    /// </summary>
    [Range(1, int.MaxValue)]
    public int MaxRunningHandlers { get; init; } = 16_384;

    /// <summary>
    /// The most bytes, with 256 more for each message, that may have arrived on one connection and wait for their handlers to be started; 1
    /// MiB by default. A connection that exceeds them is not read until its handlers have caught up; one message is always let in.
    /// </summary>
    [Range(1024, int.MaxValue)]
    public int MaxUnstartedBytes { get; init; } = 1024 * 1024;

    /// <summary>
    /// The most accepted connections of links that are open; 1,024 by default. One more is refused, and one of a peer that would then have
    /// more than are free, but for the first. Where a peer starts anew the connections of its former start give way to the new ones.
    /// </summary>
    [Range(1, int.MaxValue)]
    public int MaxConnections { get; init; } = 1_024;

    /// <summary>
    /// The most accepted connections whose link is not open yet; 1,024 by default. For one more the oldest from the address that has most
    /// of them is closed, so that those that are opened slowly, or never, keep nobody out. One that waits for this node and not for its
    /// dialler stays before others.
    /// </summary>
    [Range(1, int.MaxValue)]
    public int MaxOpeningConnections { get; init; } = 1_024;

    /// <summary>
    /// How long a lane for large messages may carry none before the side that dialled closes it; 1 min by default. It is opened again when
    /// there are such messages.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "1.00:00:00")]
    public TimeSpan BulkLaneIdleTime { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>How often an open link is probed; 1 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan HeartbeatInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// A link over which nothing arrived for so long is dead; 5 s by default. At least twice <see cref="HeartbeatInterval"/>. What has
    /// arrived and waits for this process to read it counts: a process that is short of time does not take its peers for dead.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.020", "01:00:00")]
    public TimeSpan DeadLinkAfter { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How long opening a link may take, with all its connections and their handshakes; 5 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The wait before the first new attempt to dial, doubled with each and jittered; 100 ms by default. After a link that had lasted, a
    /// random part of it, so that the peers of one that restarts do not come back all at once.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan ReconnectDelay { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest wait between two attempts to dial; 5 s by default. Attempts never end.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "1.00:00:00")]
    public TimeSpan MaxReconnectDelay { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The size of the buffer into which each connection receives, in bytes; 128 KiB by default.</summary>
    [Range(4 * 1024, 16 * 1024 * 1024)]
    public int ReceiveBufferBytes { get; init; } = 128 * 1024;
}
