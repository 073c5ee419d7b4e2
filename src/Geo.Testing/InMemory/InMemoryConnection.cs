using Geo.Messaging;

namespace Geo.Testing.InMemory;

/// <summary>One end of a connection of an <see cref="InMemoryNetwork"/>.</summary>
internal sealed class InMemoryConnection(
    string remote, InMemoryStream sends, InMemoryStream receives, Action<InMemoryConnection> forget) : IWireConnection
{
    public string Remote { get; } = remote;

    public bool HasUnread => receives.HasArrived;

    public async ValueTask SendAsync(List<ArraySegment<byte>> segments)
    {
        foreach (var segment in segments)
        {
            await sends.WriteAsync(segment);
        }
    }

    public ValueTask<int> ReceiveAsync(Memory<byte> buffer) => receives.ReadAsync(buffer);

    public void FinishSending() => sends.Finish();

    /// <summary>Breaks the connection as a failing network does: neither side gets what is under way.</summary>
    public void Cut()
    {
        sends.Break("the network was cut");
        receives.Break("the network was cut");
        forget(this);
    }

    // As a socket does: the remote receives what was sent and then the end, but sends in vain.
    public void Dispose()
    {
        sends.Finish();
        receives.Break("the connection is closed");
        forget(this);
    }
}
