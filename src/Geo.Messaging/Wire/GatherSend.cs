using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>Sends many segments by one system call, without an allocation per call; one call at a time.</summary>
internal sealed class GatherSend : SocketAsyncEventArgs, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<bool> _done = new() { RunContinuationsAsynchronously = false };

    public GatherSend()
        : base(true)
    {
    }

    /// <summary>Sends all bytes of all segments; the list is not touched until the task has ended.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(Socket socket, List<ArraySegment<byte>> segments)
    {
        var rest = segments;
        while (true)
        {
            BufferList = rest;
            _done.Reset();
            if (socket.SendAsync(this))
            {
                await new ValueTask(this, _done.Version);
            }

            if (SocketError != SocketError.Success)
            {
                throw new SocketException((int)SocketError);
            }

            // A stream socket may take less than all of a batch.
            if (Rest(rest, BytesTransferred) is not { } left)
            {
                return;
            }

            rest = left;
        }
    }

    public void GetResult(short token) => _done.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _done.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _done.OnCompleted(continuation, state, token, flags);

    protected override void OnCompleted(SocketAsyncEventArgs e) => _done.SetResult(true);

    private static List<ArraySegment<byte>>? Rest(List<ArraySegment<byte>> segments, int sent)
    {
        var index = 0;
        while (index < segments.Count && sent >= segments[index].Count)
        {
            sent -= segments[index++].Count;
        }

        if (index == segments.Count)
        {
            return null;
        }

        var rest = segments[index..];
        rest[0] = rest[0][sent..];
        return rest;
    }
}
