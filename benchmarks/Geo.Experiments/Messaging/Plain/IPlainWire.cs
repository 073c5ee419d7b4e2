namespace Geo.Experiments.Messaging.Plain;

/// <summary>What the socket program drives.</summary>
internal interface IPlainWire : IDisposable
{
    /// <summary>Receives at least one byte; 0 when the other side has closed.</summary>
    ValueTask<int> ReceiveAsync(Memory<byte> buffer);

    /// <summary>Sends all bytes of all segments.</summary>
    Task SendAsync(List<ArraySegment<byte>> segments);
}
