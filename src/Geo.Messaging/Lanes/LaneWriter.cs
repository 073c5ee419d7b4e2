using System.Text;

namespace Geo.Messaging;

/// <summary>
/// The one writer of a connection: lets all that waits out in one gather write, with one piece of a large message behind it where pieces go
/// on this connection, so that a small message waits for no more than a piece.
/// </summary>
internal sealed class LaneWriter(
    IWireConnection wire, OutboundQueue queue, PieceFeed pieces, LinkContext link, LaneId id, Action<string> end)
{
    private int _probes;

    /// <summary>Says something of the link itself; who does not read it is cut off.</summary>
    public void Tell(FrameKind kind, ulong number, string text = "")
    {
        if (queue.TryAppend(kind, number, "", Encoding.UTF8.GetBytes(text), default, out _) == SendOutcome.Full)
        {
            link.Node.Metrics.CutOff("unread-answers");
            end($"{link.Remote.Peer} does not read what it is answered: {link.Node.Options.MaxAnswerBytes} bytes wait for it on {id}");
        }
    }

    /// <summary>Probes the remote, unless the last probe still waits in a connection that is not draining.</summary>
    public void Probe()
    {
        if (Interlocked.Exchange(ref _probes, 1) == 0)
        {
            Tell(FrameKind.Ping, (ulong)link.Node.Time.GetTimestamp());
        }
    }

    /// <summary>Sends until the queue is closed and empty.</summary>
    /// <exception cref="IOException">The connection broke.</exception>
    public async Task RunAsync()
    {
        var batch = new List<ArraySegment<byte>>();
        while (true)
        {
            queue.TryTake(batch);
            var hasPiece = pieces.TryTake(batch);
            if (batch.Count > 0)
            {
                await wire.SendAsync(batch);
                Volatile.Write(ref _probes, 0);
                link.Node.Metrics.Sent(queue.Release(), batch, link.Remote.Peer, id);
            }

            if (hasPiece)
            {
                pieces.NoteSent();
            }
            else if (batch.Count == 0 && !await queue.WaitToTakeAsync())
            {
                return;
            }
        }
    }
}
