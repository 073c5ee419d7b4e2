namespace Geo.Messaging;

/// <summary>Makes connections of one kind.</summary>
internal interface IWireTransport
{
    /// <summary>Starts listening.</summary>
    /// <exception cref="GeoConfigurationException">The address cannot be listened on; the message says why and what to do.</exception>
    IWireListener Listen(PeerAddress address);

    /// <summary>Connects to an address.</summary>
    /// <exception cref="IOException">Nothing answered there.</exception>
    ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken);
}
