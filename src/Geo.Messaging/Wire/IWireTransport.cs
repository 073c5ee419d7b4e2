namespace Geo.Messaging;

/// <summary>Makes connections of one kind.</summary>
internal interface IWireTransport
{
    /// <exception cref="GeoConfigurationException">The address cannot be listened on; the message says why and what to do.</exception>
    IWireListener Listen(PeerAddress address);

    /// <exception cref="IOException">Nothing answered there.</exception>
    ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken);
}
