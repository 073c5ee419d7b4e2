namespace Geo.Messaging;

/// <summary>Accepts connections at an address.</summary>
internal interface IWireListener : IDisposable
{
    /// <summary>The address with the port that was actually taken.</summary>
    PeerAddress Address { get; }

    /// <summary>Waits for the next connection.</summary>
    /// <exception cref="IOException">It could not be accepted; the next one may be.</exception>
    ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken);
}
