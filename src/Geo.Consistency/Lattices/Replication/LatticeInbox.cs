namespace Geo.Consistency.Lattices;

/// <summary>Merges frames that leave no gap, once what they follow is here.</summary>
internal sealed class LatticeInbox(LatticeData data, LatticePeers peers)
{
    // Of StatusInterval: as long as what others have is told, and asked for.
    private const int Patience = 6;

    private readonly LatticeHeld _held = new(data.Options.MaxHeldBytes);

    /// <summary>Lets go of what has waited long of replicas that are gone.</summary>
    internal void Forget(TimeSpan now) =>
        _held.Forget(source => peers.Find(source) is null, now - (Patience * data.Options.StatusInterval));

    /// <summary>Takes a frame.</summary>
    internal void Take(ReplicaId sender, LatticeFrameHead head, CellReader cells, ReadOnlySpan<byte> message, TimeSpan now)
    {
        var applied = Math.Max(data.Applied[sender], _held.Through(sender));
        if ((head.After > applied && !LatticeRules.IsOff(LatticeRule.Cursor)) || head.Through <= applied)
        {
            return;
        }

        if ((data.Applied[sender] == applied && data.Applied.Covers(head.Follows)) || LatticeRules.IsOff(LatticeRule.Follow))
        {
            data.Merge(sender, cells);
            data.Raise(VectorClock.Of(sender, head.Through));
            MergeHeld();
            return;
        }

        // The sender has what its updates follow, and can be asked for it, whoever made it.
        peers.Find(sender)?.NoteAhead(head.Follows, VectorClock.Bottom, data, now);
        if (_held.TryAdd(sender, head, message, now))
        {
            MergeHeld();
        }
        else
        {
            LatticeMetrics.Dropped.Add(1);
        }
    }

    /// <summary>Merges the frames that waited, once all that they follow is here or comes with them.</summary>
    internal void MergeHeld()
    {
        while (!_held.IsEmpty && _held.Take(data.Applied) is { Count: > 0 } frames)
        {
            foreach (var frame in frames)
            {
                var body = LatticeEnvelope.ReadBody(frame.Message, data.Options.Limits);
                LatticeFrameHead.Read(ref body);
                data.Merge(frame.Source, new CellReader(body));
            }

            foreach (var frame in frames)
            {
                data.Raise(VectorClock.Of(frame.Source, frame.Head.Through));
            }
        }
    }
}
