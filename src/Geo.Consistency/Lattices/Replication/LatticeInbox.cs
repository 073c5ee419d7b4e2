namespace Geo.Consistency.Lattices;

/// <summary>Merges frames that leave no gap, once what they follow is here.</summary>
/// <param name="data">What is here.</param>
/// <param name="peers">The other replicas.</param>
/// <param name="isStray">
/// Hears of what came beyond the updates that have all come: a state that stands for updates has others' in it.
/// </param>
internal sealed class LatticeInbox(LatticeData data, LatticePeers peers, Action<LatticeCell, TimeSpan> isStray)
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
            Merge(sender, head, cells, now);
            data.Raise(VectorClock.Of(sender, head.Through));
            MergeHeld(now);
            return;
        }

        // The sender has what its updates follow, and can be asked for it, whoever made it.
        peers.Find(sender)?.NoteAhead(head.Follows, VectorClock.Bottom, data, now);
        if (_held.TryAdd(sender, head, message, now))
        {
            MergeHeld(now);
        }
        else
        {
            LatticeMetrics.Dropped.Add(1);
        }
    }

    /// <summary>Merges the frames that waited, once all that they follow is here or comes with them.</summary>
    internal void MergeHeld(TimeSpan now)
    {
        while (!_held.IsEmpty && _held.Take(data.Applied) is { Count: > 0 } frames)
        {
            foreach (var frame in frames)
            {
                var body = LatticeEnvelope.ReadBody(frame.Message, data.Options.Limits);
                LatticeFrameHead.Read(ref body);
                Merge(frame.Source, frame.Head, new CellReader(body), now);
            }

            foreach (var frame in frames)
            {
                data.Raise(VectorClock.Of(frame.Source, frame.Head.Through));
            }
        }
    }

    private void Merge(ReplicaId source, LatticeFrameHead head, CellReader cells, TimeSpan now)
    {
        var known = data.Applied.Merge(VectorClock.Of(source, head.Through));
        data.Merge(source, cells, (cell, hasChanged) =>
        {
            if (hasChanged && !cell.IsCoveredBy(known, data.Id))
            {
                isStray(cell, now);
            }
        }, known);
    }
}
