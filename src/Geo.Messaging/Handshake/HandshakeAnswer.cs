namespace Geo.Messaging;

/// <summary>The acceptor's half of the handshake: a welcome or a refusal.</summary>
internal abstract record HandshakeAnswer;

/// <summary>The connection is accepted.</summary>
/// <param name="Version">The wire version that both speak.</param>
/// <param name="From">Who answers.</param>
/// <param name="MaxMessageBytes">The largest payload it takes.</param>
/// <param name="MaxGatheredBytes">The most bytes of large messages that a channel gathers.</param>
/// <param name="Facts">What its host tells.</param>
internal sealed record Welcome(
    int Version, PeerIdentity From, int MaxMessageBytes, int MaxGatheredBytes = 0, ReadOnlyMemory<byte> Facts = default)
    : HandshakeAnswer;

/// <summary>The connection is refused.</summary>
internal sealed record Refusal(RefusalReason Reason, string Message, PeerId By = default) : HandshakeAnswer;
