using System.Net;

namespace Geo.Orleans;

internal sealed class DnsHostNames : IHostNames
{
    public Task<IPAddress[]> ResolveAsync(string host, CancellationToken cancellationToken) =>
        Dns.GetHostAddressesAsync(host, cancellationToken);
}
