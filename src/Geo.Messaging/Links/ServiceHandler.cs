namespace Geo.Messaging;

/// <summary>The handler of a service.</summary>
/// <param name="Service">The service's name.</param>
/// <param name="Invoke">What handles its messages.</param>
/// <param name="ClustersOnly">True when clients may not call it.</param>
internal sealed record ServiceHandler(string Service, PeerMessageHandler Invoke, bool ClustersOnly);
