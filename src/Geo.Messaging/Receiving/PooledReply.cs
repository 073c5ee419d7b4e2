namespace Geo.Messaging;

/// <summary>The buffer of a large reply, which its requester gives back or keeps.</summary>
/// <param name="buffers">Where it belongs.</param>
/// <param name="buffer">The buffer.</param>
internal sealed class PooledReply(LargeBuffers buffers, byte[] buffer) : IDisposable
{
    private byte[]? _buffer = buffer;

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _buffer, null) is { } unused)
        {
            buffers.Return(unused);
        }
    }
}
