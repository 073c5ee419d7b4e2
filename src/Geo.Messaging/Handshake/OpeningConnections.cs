namespace Geo.Messaging;

/// <summary>
/// The accepted connections whose link is not open yet. When there are too many the oldest of those from the address that has most gives
/// way, so that connections that are opened slowly, or never, keep nobody out. Safe to use from any thread.
/// </summary>
/// <param name="most">The most connections.</param>
internal sealed class OpeningConnections(int most)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, LinkedList<IWireConnection>> _byAddress = new(StringComparer.Ordinal);
    private int _count;

    /// <summary>Adds a connection.</summary>
    /// <returns>The connection that gives way, to be closed; null for none.</returns>
    public IWireConnection? Add(IWireConnection wire)
    {
        lock (_lock)
        {
            IWireConnection? oldest = null;
            if (_count >= most)
            {
                oldest = _byAddress.Values.MaxBy(from => from.Count)!.First!.Value;
                Take(oldest);
            }

            var address = AddressOf(wire);
            if (!_byAddress.TryGetValue(address, out var others))
            {
                _byAddress.Add(address, others = new LinkedList<IWireConnection>());
            }

            others.AddLast(wire);
            _count++;
            return oldest;
        }
    }

    /// <summary>Removes a connection that is open or has ended; nothing happens when it has given way.</summary>
    public void Remove(IWireConnection wire)
    {
        lock (_lock)
        {
            Take(wire);
        }
    }

    // Without the port, which differs for each.
    private static string AddressOf(IWireConnection wire) =>
        wire.Remote.LastIndexOf(':') is > 0 and var port ? wire.Remote[..port] : wire.Remote;

    private void Take(IWireConnection wire)
    {
        var address = AddressOf(wire);
        if (_byAddress.TryGetValue(address, out var others) && others.Remove(wire))
        {
            _count--;
            if (others.Count == 0)
            {
                _byAddress.Remove(address);
            }
        }
    }
}
