namespace Geo.Messaging.Tests;

/// <summary>A connection on which a script arrives, as fast as it is read, and nothing is sent.</summary>
internal sealed class ScriptedConnection : IWireConnection
{
    private int _given;
    private byte[] _script = [];

    public byte[] Script
    {
        set => (_script, _given) = (value, 0);
    }

    public string Remote => "script";

    public ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        var next = Math.Min(buffer.Length, _script.Length - _given);
        _script.AsSpan(_given, next).CopyTo(buffer.Span);
        _given += next;
        return new(next);
    }

    public ValueTask SendAsync(List<ArraySegment<byte>> segments) => ValueTask.CompletedTask;

    public void FinishSending()
    {
    }

    public void Dispose()
    {
    }
}
