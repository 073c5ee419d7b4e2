namespace Geo.Consistency.Lattices;

/// <summary>
/// Makes frames: all updates of a replica after a number up to its last, merged by grain, and what they follow. One frame serves all who
/// lack the same.
/// </summary>
internal sealed class LatticeFrames(LatticeData data, LatticeDomain domain)
{
    private readonly LatticeCauses _causes = new();
    private (long After, long Through, byte[] Message)? _last;

    /// <summary>The update made last follows something.</summary>
    internal void Note(VectorClock follows) => _causes.Note(data.Last, data.Epoch, follows);

    /// <summary>Nobody needs the updates up to a number any more.</summary>
    internal void Trim(long through) => _causes.Trim(through);

    /// <summary>The updates after a number; null where they are more than a frame holds.</summary>
    internal byte[]? After(long after)
    {
        if (_last is { } known && known.After == after && known.Through == data.Last)
        {
            return known.Message;
        }

        var body = new LatticeWriter();
        var content = body.Part();
        var (cells, follows) = (new CellWriter(content, data.PutAsideOwn), _causes.Since(after));
        for (var cell = data.Changes.Newest; cell is not null && cell.Own > after; cell = cell.Older)
        {
            cells.WriteDelta(cell, data.Id, after);
            if (cells.Length > data.Options.MaxFrameBytes)
            {
                return null;
            }

            if (domain == LatticeDomain.Ordered && cell.IsWholeAfter(after) && !LatticeRules.IsOff(LatticeRule.WholeFollows))
            {
                // It brings updates of others, and what those follow is where they are.
                follows = follows.Merge(cell.SeenOfOthers);
            }
        }

        new LatticeFrameHead(after, data.Last, follows).Write(body);
        body.Append(content);
        var message = LatticeEnvelope.Write(LatticeMessageKind.Frame, data.Id, body);
        LatticeMetrics.FrameBytes.Record(message.Length);
        _last = (after, data.Last, message);
        return message;
    }
}
