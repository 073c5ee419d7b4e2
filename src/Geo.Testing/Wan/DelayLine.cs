using System.IO.Pipelines;
using System.Net.Sockets;
using System.Threading.Channels;

namespace Geo.Testing.Wan;

/// <summary>
/// One direction of one connection: bytes leave a delay after they came, in order. The bytes lie in a pipe; beside it a queue says how
/// many of them are due when.
/// </summary>
internal sealed class DelayLine
{
    private const int SegmentBytes = 64 * 1024;
    private const int LeastReceiveBytes = 16 * 1024;

    private readonly DelayedLink _link;
    private readonly Pipe _pipe;
    private readonly Channel<(TimeSpan Due, int Bytes)> _stamps;

    public DelayLine(DelayedLink link, int maxBytesUnderWay)
    {
        _link = link;
        _stamps = Channel.CreateBounded<(TimeSpan, int)>(
            new BoundedChannelOptions(maxBytesUnderWay / DelayedLinkOptions.LeastBytes) { SingleReader = true, SingleWriter = true });
        _pipe = new Pipe(new PipeOptions(
            pauseWriterThreshold: maxBytesUnderWay,
            resumeWriterThreshold: maxBytesUnderWay / 2,
            minimumSegmentSize: SegmentBytes,
            useSynchronizationContext: false));
    }

    /// <summary>Takes bytes in until the sender closes its side, which is stamped as the bytes are.</summary>
    public async Task ReceiveAsync(Socket from, CancellationToken cancellationToken)
    {
        var lastDue = TimeSpan.Zero;
        while (true)
        {
            var received = await from.ReceiveAsync(_pipe.Writer.GetMemory(LeastReceiveBytes), cancellationToken);

            // A delay that was shortened meanwhile must not let later bytes overtake.
            var due = _link.Now() + _link.OneWayDelay;
            lastDue = due > lastDue ? due : lastDue;
            await _stamps.Writer.WriteAsync((lastDue, received), cancellationToken);
            if (received == 0)
            {
                return;
            }

            _pipe.Writer.Advance(received);
            await _pipe.Writer.FlushAsync(cancellationToken);
        }
    }

    /// <summary>Lets out what is due, all of it at once, until the end is due.</summary>
    public async Task SendAsync(Socket to, CancellationToken cancellationToken)
    {
        while (await _stamps.Reader.WaitToReadAsync(cancellationToken) && _stamps.Reader.TryPeek(out var next))
        {
            await _link.WaitUntilAsync(next.Due, cancellationToken);
            await _link.Gate.PassAsync(cancellationToken);
            var (bytes, isEnd) = TakeDue();
            if (bytes > 0)
            {
                await SendAsync(to, bytes, cancellationToken);
            }

            if (isEnd)
            {
                to.Shutdown(SocketShutdown.Send);
                return;
            }
        }
    }

    private (int Bytes, bool IsEnd) TakeDue()
    {
        var now = _link.Now();
        var bytes = 0;
        while (_stamps.Reader.TryPeek(out var stamp) && stamp.Due <= now && _stamps.Reader.TryRead(out _))
        {
            if (stamp.Bytes == 0)
            {
                return (bytes, true);
            }

            bytes += stamp.Bytes;
        }

        return (bytes, false);
    }

    private async Task SendAsync(Socket to, int bytes, CancellationToken cancellationToken)
    {
        var read = await _pipe.Reader.ReadAtLeastAsync(bytes, cancellationToken);
        var due = read.Buffer.Slice(0, bytes);
        foreach (var segment in due)
        {
            for (var rest = segment; !rest.IsEmpty;)
            {
                rest = rest[await to.SendAsync(rest, cancellationToken)..];
            }
        }

        _pipe.Reader.AdvanceTo(due.End);
        _link.Count(bytes);
    }
}
