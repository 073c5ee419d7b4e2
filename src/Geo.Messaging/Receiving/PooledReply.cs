using System.Buffers;

namespace Geo.Messaging;

/// <summary>The pooled buffer of a large reply, which its requester gives back or keeps.</summary>
internal sealed class PooledReply(byte[] buffer) : IDisposable
{
    private byte[]? _buffer = buffer;

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _buffer, null) is { } unused)
        {
            ArrayPool<byte>.Shared.Return(unused);
        }
    }
}
