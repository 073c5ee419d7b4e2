using System.Net;

namespace Geo.Orleans;

/// <summary>Finds the addresses behind the name of a cluster's entry points.</summary>
internal interface IHostNames
{
    /// <exception cref="System.Net.Sockets.SocketException">The name cannot be resolved now.</exception>
    Task<IPAddress[]> ResolveAsync(string host, CancellationToken cancellationToken);
}
