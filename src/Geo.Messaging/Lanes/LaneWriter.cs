namespace Geo.Messaging;

/// <summary>
/// The one writer of a connection: lets all that waits out in one gather write, with one piece of a large message behind it where pieces go
/// on this connection, so that a small message waits for no more than a piece.
/// </summary>
internal sealed class LaneWriter(
    IWireConnection wire, OutboundQueue queue, PieceFeed pieces, LinkContext link, LaneId id, Action<string> end)
{
    // The least that a remote which reads takes within DeadLinkAfter, over however slow a path.
    private const int LeastBytes = 64 * 1024;

    // What has to leave a full connection before the kernel says that there is room.
    private const int KernelBytes = 1024 * 1024;

    private int _probes;
    private int _batches;
    private long _sending;
    private int _seenBatches;
    private long _seenAt = link.Node.Time.GetTimestamp();

    /// <summary>Says something of the link itself; who does not read it is cut off.</summary>
    public void Tell(FrameKind kind, ulong number, string text = "")
    {
        if (queue.TryAppend(kind, number, "", ReasonText.Write(text, link.Terms.RemoteTakesBytes), default, out _) == SendOutcome.Full)
        {
            link.Node.Metrics.CutOff("unread-answers");
            end($"{link.Remote.Peer} does not read what it is answered: {link.Node.Options.MaxAnswerBytes} bytes wait for it on {id}");
        }
    }

    /// <summary>
    /// Cuts off a remote that has been silent for too long; else probes it, unless the last probe still waits in a connection that is not
    /// draining. Cuts off a remote that does not read while there is no room for its replies. One that leaves room may be held up by a
    /// handler, and is waited for.
    /// </summary>
    /// <param name="reader">What hears the remote.</param>
    /// <param name="judge">False when this node was itself held up.</param>
    /// <param name="holdsReceiver">True while this node does not listen to the remote.</param>
    /// <param name="repliesAreFull">True when no further reply to the remote finds room.</param>
    public void Probe(LaneReader reader, bool judge, bool holdsReceiver, bool repliesAreFull)
    {
        if (judge && !holdsReceiver && reader.IsSilent(link.Node.Options.DeadLinkAfter, out var silence))
        {
            link.Node.Metrics.CutOff("silent");
            end($"nothing was heard on {id} for {silence.TotalSeconds:0.0} s");
            return;
        }

        if (IsStuck(judge && repliesAreFull))
        {
            link.Node.Metrics.CutOff("unread");
            end(
                $"{link.Remote.Peer} reads less than {LeastBytes} bytes in {link.Node.Options.DeadLinkAfter.TotalSeconds:0.###} s on {id}, "
                + "and there is no room for more replies to it, or it has said goodbye there");
            return;
        }

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
                var bytes = BytesOf(batch);
                Volatile.Write(ref _sending, bytes);
                await wire.SendAsync(batch);
                Volatile.Write(ref _sending, 0);
                Volatile.Write(ref _batches, _batches + 1);
                Volatile.Write(ref _probes, 0);
                link.Node.Metrics.Sent(queue.Release(), bytes, link.Remote, id);
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

    private static long BytesOf(List<ArraySegment<byte>> batch)
    {
        long bytes = 0;
        foreach (var segment in batch)
        {
            bytes += segment.Count;
        }

        return bytes;
    }

    // By whole batches, of which a remote that reads slowly may take its time for each.
    private bool IsStuck(bool judge)
    {
        // In this order: else the bytes of the next batch could be held against the time of the last.
        var sending = Volatile.Read(ref _sending);
        var batches = Volatile.Read(ref _batches);
        if (!judge || sending == 0 || batches != _seenBatches)
        {
            (_seenBatches, _seenAt) = (batches, link.Node.Time.GetTimestamp());
            return false;
        }

        return link.Node.Time.GetElapsedTime(_seenAt)
            > link.Node.Options.DeadLinkAfter * ((double)(sending + KernelBytes) / LeastBytes);
    }
}
