using System.Net;
using System.Net.Sockets;

namespace Geo.Testing.Wan;

/// <summary>
/// Ports for hosts that must know theirs before they start, as Orleans does. They are below the range from which the system hands out
/// ports: one that is free now is not given to somebody else before it is used.
/// </summary>
public static class FreePorts
{
    private const int First = 12_000;
    private const int Count = 18_000;

    private static int _next = Random.Shared.Next(Count);

    /// <summary>
    /// Different ports on the loopback interface that nothing listens on; none is given twice by one process before all others were.
    /// </summary>
    /// <param name="count">How many.</param>
    /// <exception cref="InvalidOperationException">There are not so many.</exception>
    public static IReadOnlyList<int> Take(int count)
    {
        var free = new List<int>(count);
        for (var tried = 0; tried < Count && free.Count < count; tried++)
        {
            var port = First + ((Interlocked.Increment(ref _next) & int.MaxValue) % Count);
            if (IsFree(port))
            {
                free.Add(port);
            }
        }

        return free.Count == count
            ? free
            : throw new InvalidOperationException(
                $"Only {free.Count} of {count} ports from {First} to {First + Count - 1} are free on the loopback interface.");
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
