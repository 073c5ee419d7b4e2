using System.Net;
using System.Net.Sockets;

namespace Geo.Orleans.Tests.Clusters;

/// <summary>
/// Ports on the loopback interface that nothing listens on, below the range from which the system hands out ports: a port that is free
/// now is not given to somebody else before it is used.
/// </summary>
internal static class FreePorts
{
    private const int First = 12_000;
    private const int Count = 18_000;

    private static int _next = Random.Shared.Next(Count);

    public static int[] Take(int count) => [.. Candidates().Where(IsFree).Take(count)];

    private static IEnumerable<int> Candidates()
    {
        while (true)
        {
            yield return First + ((Interlocked.Increment(ref _next) & int.MaxValue) % Count);
        }
    }

    private static bool IsFree(int port)
    {
        using var listener = new TcpListener(IPAddress.Loopback, port);
        try
        {
            listener.Start();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
