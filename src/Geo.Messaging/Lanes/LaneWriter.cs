namespace Geo.Messaging;

/// <summary>
/// The one writer of a lane: lets all that waits out in one gather write, with one piece of a large message behind it where pieces go on
/// this lane, so that a small message waits for no more than a piece.
/// </summary>
internal sealed class LaneWriter(IWireConnection wire, OutboundQueue queue, PieceChannel pieces, LinkContext link, LaneId id)
{
    private int _probes;

    /// <summary>True for the first caller since something was sent: one probe at a time waits in a lane that is not draining.</summary>
    public bool MayProbe() => Interlocked.Exchange(ref _probes, 1) == 0;

    /// <summary>Sends until the queue is closed and empty.</summary>
    /// <exception cref="IOException">The connection broke.</exception>
    public async Task RunAsync()
    {
        var batch = new List<ArraySegment<byte>>();
        while (true)
        {
            queue.TryTake(batch);
            var hasPiece = pieces.TryTakeHere(batch);
            if (batch.Count > 0)
            {
                await wire.SendAsync(batch);
                Volatile.Write(ref _probes, 0);
                link.Node.Metrics.Sent(queue.Release(), batch, link.Remote.Peer, id);
                if (hasPiece)
                {
                    pieces.NoteSentHere();
                }
            }
            else if (!await queue.WaitToTakeAsync())
            {
                break;
            }
        }

        wire.FinishSending();
    }
}
