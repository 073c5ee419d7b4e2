namespace Geo.Messaging;

/// <summary>
/// The accepted connections whose link is not open yet. When there are too many the oldest of those from the address that has most gives
/// way, so that connections that are opened slowly, or never, keep nobody out. One whose dialler has said something that this node has not
/// read yet is not slow, this node is: it stays before others. Safe to use from any thread.
/// </summary>
internal sealed class OpeningConnections(int most)
{
    // So many of the oldest may stay before others: more that send what nobody reads would keep those out that come later.
    private const int MostThatStay = 16;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, LinkedList<IWireConnection>> _byAddress = new(StringComparer.Ordinal);
    private int _count;

    /// <returns>The connection that gives way, to be closed; null for none.</returns>
    public IWireConnection? Add(IWireConnection wire)
    {
        lock (_lock)
        {
            IWireConnection? slowest = null;
            if (_count >= most)
            {
                var from = _byAddress.Values.MaxBy(from => from.Count)!;
                slowest = from.Take(MostThatStay).FirstOrDefault(other => !other.HasUnread) ?? from.First!.Value;
                Take(slowest);
            }

            var address = AddressOf(wire);
            if (!_byAddress.TryGetValue(address, out var others))
            {
                _byAddress.Add(address, others = new LinkedList<IWireConnection>());
            }

            others.AddLast(wire);
            _count++;
            return slowest;
        }
    }

    /// <summary>Removes connections that are open or have ended; nothing happens with one that has given way.</summary>
    public void Remove(params ReadOnlySpan<IWireConnection> wires)
    {
        lock (_lock)
        {
            foreach (var wire in wires)
            {
                Take(wire);
            }
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
