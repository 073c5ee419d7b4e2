using System.Net;
using System.Net.Sockets;

namespace Geo.Orleans.Tests.Clusters;

/// <summary>Ports on the loopback interface that nothing listens on.</summary>
internal static class FreePorts
{
    public static int[] Take(int count)
    {
        var listeners = Enumerable.Range(0, count).Select(_ => new TcpListener(IPAddress.Loopback, 0)).ToArray();
        try
        {
            return [.. listeners.Select(listener =>
            {
                listener.Start();
                return ((IPEndPoint)listener.LocalEndpoint).Port;
            })];
        }
        finally
        {
            foreach (var listener in listeners)
            {
                listener.Dispose();
            }
        }
    }
}
