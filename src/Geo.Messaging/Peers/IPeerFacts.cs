namespace Geo.Messaging;

/// <summary>
/// What a node and its peers tell each other in the handshake for their hosts' own use, and what the host thinks of it: a link opens only
/// when both sides are content. The bytes mean nothing to this library.
/// </summary>
/// <remarks>Called in the middle of handshakes, on several threads at a time: to be fast, and never to wait.</remarks>
public interface IPeerFacts
{
    /// <summary>The most bytes of facts; more end the start of the node.</summary>
    const int MaxBytes = 8 * 1024;

    /// <summary>What this node tells; not to change once the node has started.</summary>
    ReadOnlyMemory<byte> Own { get; }

    /// <summary>Judges what a peer tells. Both sides should come to the same end, whichever of them dialled.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="cluster">The cluster it speaks for; none for a client.</param>
    /// <param name="facts">What it tells; empty when it tells nothing.</param>
    /// <returns>Null to accept it; else why not and what to do, for the people at both ends.</returns>
    /// <exception cref="GeoSerializationException">The facts are damaged: the peer is refused.</exception>
    string? Refuse(PeerId peer, ClusterId cluster, ReadOnlySpan<byte> facts);
}
