namespace Geo.Consistency.Lattices;

/// <summary>
/// Asks another replica for all that is lacking here, page by page: what it has of sources that have died, or cannot reach this replica,
/// and all of it where this one begins (design 4.6, 4.8). One asking at a time; the asker sets the pace.
/// </summary>
/// <remarks>
/// Pages are of different moments: later ones may have what follows updates that earlier ones lack. Where that matters, they are kept until
/// what came meanwhile fits into one page, and are merged with that at once.
/// </remarks>
internal sealed class LatticeRepair(LatticeData data, LatticeDomain domain)
{
    private const int MaxTries = 3;

    // In units of RepairAfter: what is not told by then, though another replica was asked, will hardly be.
    private const int AdoptAfter = 3;

    // Of RepairAfter, where there is no room for what was asked for: some eight minutes with the default.
    private const int LongestRest = 512;

    // What pages and stores brought beyond the updates that have all come here, until they have, and since when.
    private readonly Dictionary<LatticeCell, TimeSpan> _strays = [];
    private readonly HashSet<LatticeCell> _inPage = [];
    private long _number;
    private Asking? _asking;
    private TimeSpan? _straysAt;
    private bool _hasHeard;
    private int _lackedRoom;
    private TimeSpan _restsUntil;

    /// <summary>Told that what was asked for does not fit into <see cref="LatticeOptions.MaxHeldBytes"/>.</summary>
    internal Action? LacksRoom { get; set; }

    /// <summary>True when nothing is asked for, and nothing is here that no replica's number tells.</summary>
    internal bool IsAtRest => _asking is null && _strays.Count == 0;

    /// <summary>When to act next; null when nothing is under way.</summary>
    internal TimeSpan? DueAt => _asking?.RetryAt;

    /// <summary>
    /// When to look after what came with pages and by no number; null when there is nothing, or something is asked for, which may tell it.
    /// </summary>
    internal TimeSpan? StraysAt => _asking is null ? _straysAt : null;

    /// <summary>
    /// Makes what came with pages, and is not told by the number of any update that has come since, updates of this replica: a page may
    /// have more of a source than all that its sender had when the asking began, and both may die.
    /// </summary>
    /// <returns>True when there was any.</returns>
    private bool Adopt(LatticePeers peers, TimeSpan now)
    {
        if (StraysAt is null || now < StraysAt)
        {
            return false;
        }

        if (!_hasHeard)
        {
            // Before any other has told what it has, all that a store had would be made known as news.
            _hasHeard = peers.IsAlone || peers.HasTold;
            _straysAt = now + Patience;
            return false;
        }

        ForgetStraysThatAreTold();
        var old = _strays.Where(s => s.Value + Patience <= now).Select(s => s.Key).ToList();
        foreach (var cell in old.OrderBy(c => c.Key.ToString(), StringComparer.Ordinal))
        {
            _strays.Remove(cell);
            if (!LatticeRules.IsOff(LatticeRule.Adopt))
            {
                data.Adopt(cell);
            }
        }

        _straysAt = _strays.Count > 0 ? _strays.Values.Min() + Patience : null;
        return old.Count > 0;
    }

    private TimeSpan Patience => AdoptAfter * data.Options.RepairAfter;

    /// <summary>
    /// What the replica that is asked has collected, if its page for a grain has been merged: an absent cell stands for that already.
    /// A page that is kept until the last has come may have the grain.
    /// </summary>
    internal VectorClock CollectedOf(GrainKey grain) =>
        _asking is { Kept.Count: 0, Goal: { } goal } && _asking.From.IsBehind(grain) ? goal.Collected : VectorClock.Bottom;

    /// <summary>A cell has what came from a store, which may be more than any replica has told.</summary>
    internal void AddStray(LatticeCell cell, TimeSpan now)
    {
        _strays.TryAdd(cell, now);
        _straysAt ??= now + Patience;
    }

    /// <summary>Begins where something is lacking, and asks again where no answer came.</summary>
    /// <returns>True when what had come became updates of this replica.</returns>
    internal bool Step(LatticePeers peers, TimeSpan now, Action<LatticePeer, LatticeMessageKind, LatticeWriter> send)
    {
        foreach (var peer in peers.All)
        {
            peer.ForgetAhead(data, now);
        }

        if (_asking is { } asking)
        {
            if (peers.Find(asking.Peer.Id) is null || (now >= asking.RetryAt && asking.Tries == MaxTries))
            {
                GiveUp(asking, now);
            }
            else if (now >= asking.RetryAt)
            {
                Ask(asking, now, send);
            }
        }

        // Between two askings, however fast one follows another.
        var hasAdopted = Adopt(peers, now);
        if (_asking is null && Next(peers, now) is { } next)
        {
            LatticeMetrics.Pulls.Add(1);
            Ask(_asking = new(next, ++_number, data), now, send);
        }

        return hasAdopted;
    }

    /// <summary>When a replica has to be asked, if what it has does not come until then.</summary>
    internal TimeSpan? NextAt(LatticePeers peers) =>
        _asking is null && !LatticeRules.IsOff(LatticeRule.Repair)
            ? peers.All.Where(p => p.Ahead is not null).Select(AskAt).Order().Cast<TimeSpan?>().FirstOrDefault()
            : null;

    /// <summary>Takes a page.</summary>
    internal void Take(
        ReplicaId from, LatticePageHead head, CellReader cells, ReadOnlySpan<byte> message, TimeSpan now,
        Action<LatticePeer, LatticeMessageKind, LatticeWriter> send)
    {
        if (_asking is not { } asking || asking.Peer.Id != from || asking.Number != head.Number || asking.From != head.From)
        {
            return;
        }

        asking.Goal ??= (head.Applied, head.Collected);
        if (domain == LatticeDomain.Free || LatticeRules.IsOff(LatticeRule.AtomicPages))
        {
            Merge(from, head, cells, now);
        }
        else if (!asking.TryKeep(message, data.Options.MaxHeldBytes))
        {
            LatticeMetrics.Dropped.Add(1);
            _restsUntil = now + (BackOff.Doubled(++_lackedRoom, data.Options.RepairAfter * 2, data.Options.RepairAfter * LongestRest));
            LacksRoom?.Invoke();
            GiveUp(asking, now);
            return;
        }

        if (!head.IsLast)
        {
            (asking.From, asking.Tries) = (head.Next, 0);
            Ask(asking, now, send);
        }
        else if (head.From != LatticePlace.Start && asking.Kept.Count > 0)
        {
            asking.GoOn(++_number);
            Ask(asking, now, send);
        }
        else
        {
            if (asking.Heals)
            {
                data.Holes.BeginHeal();
            }

            foreach (var kept in asking.Kept)
            {
                var body = LatticeEnvelope.ReadBody(kept, data.Options.Limits);
                Merge(from, LatticePageHead.Read(ref body), new CellReader(body), now);
            }

            data.LackAny(head.LacksAnyOf);
            _lackedRoom = 0;
            data.Raise(asking.Goal.Value.Applied);
            if (asking.Heals)
            {
                var has = head.LacksAnyOf.Equals(VectorClock.Bottom) ? asking.Goal.Value.Applied : asking.Vouched;
                data.Holes.EndHeal(has, data.Cells.All);
            }

            data.Inherit(asking.Goal.Value.Collected);
            asking.Peer.HasAnswered(asking.Wanted, asking.Vouched, data, now);
            End(now);
        }
    }

    private void ForgetWhatIsNotThere(LatticePageHead head)
    {
        for (var bucket = head.From.Bucket; bucket <= head.Next.Bucket && bucket < LatticeCells.Buckets; bucket++)
        {
            foreach (var cell in data.Cells.In(bucket))
            {
                if (!_inPage.Contains(cell) && head.Next.IsBehind(cell.Key) && !head.From.IsBehind(cell.Key))
                {
                    data.Forget(cell, head.Collected);
                }
            }
        }
    }

    private void Merge(ReplicaId from, LatticePageHead head, CellReader cells, TimeSpan now)
    {
        _inPage.Clear();
        var known = _asking is { Goal: { } goal } ? goal.Applied.Merge(data.Applied) : data.Applied;
        data.Merge(from, cells, (cell, hasChanged) =>
        {
            _inPage.Add(cell);
            if (hasChanged)
            {
                AddStray(cell, now);
            }
        }, known);
        if (head.IsSnapshot && !LatticeRules.IsOff(LatticeRule.Snapshot))
        {
            ForgetWhatIsNotThere(head);
        }
    }

    /// <summary>Another one may answer; this one is asked again when what it has is still lacking.</summary>
    private void GiveUp(Asking asking, TimeSpan now)
    {
        asking.Peer.Ahead = asking.Peer.Ahead is { } ahead ? ahead with { Since = now } : null;
        asking.Peer.MustBeAsked = false;
        End(now);
    }

    private void End(TimeSpan now)
    {
        _asking = null;
        ForgetStraysThatAreTold();
        _straysAt = _strays.Count == 0 ? null
            : LatticeRules.IsOff(LatticeRule.StraysAge) ? now + Patience : _strays.Values.Min() + Patience;
    }

    private void ForgetStraysThatAreTold()
    {
        foreach (var cell in _strays.Keys.Where(c => c.IsCoveredBy(data.Applied, data.Id)).ToList())
        {
            _strays.Remove(cell);
        }
    }

    private LatticePeer? Next(LatticePeers peers, TimeSpan now) => LatticeRules.IsOff(LatticeRule.Repair)
        ? null
        : peers.All.Where(p => p.Ahead is not null && now >= AskAt(p)).MinBy(AskAt);

    private TimeSpan AskAt(LatticePeer peer)
    {
        var askAt = peer.MustBeAsked ? peer.Ahead!.Value.Since : peer.Ahead!.Value.Since + data.Options.RepairAfter;
        return askAt > _restsUntil ? askAt : _restsUntil;
    }

    private void Ask(Asking asking, TimeSpan now, Action<LatticePeer, LatticeMessageKind, LatticeWriter> send)
    {
        asking.RetryAt = now + data.Options.RetryAfter;
        asking.Tries++;
        var body = new LatticeWriter();
        new LatticePull(asking.Number, asking.From, asking.Applied).Write(body);
        send(asking.Peer, LatticeMessageKind.Pull, body);
    }

    private sealed class Asking(LatticePeer peer, long number, LatticeData data)
    {
        private long _bytes;

        internal LatticePeer Peer => peer;

        internal long Number { get; private set; } = number;

        /// <summary>What the other was known to have when the asking began.</summary>
        internal VectorClock Wanted { get; } = peer.Told.Merge(peer.Ahead!.Value.Told);

        /// <summary>What of it the other vouched for.</summary>
        internal VectorClock Vouched { get; } = peer.Applied;

        /// <summary>True when all is asked for that has come since what others lacked that were asked.</summary>
        internal bool Heals { get; } = peer.CanHeal(data);

        /// <summary>What is here, or kept, of the time before the asking began.</summary>
        internal VectorClock Applied { get; private set; } = peer.CanHeal(data) ? data.Complete : data.Applied;

        /// <summary>What the other had, and had forgotten, when it gave the first page: all of it has come with the last one.</summary>
        internal (VectorClock Applied, VectorClock Collected)? Goal { get; set; }

        /// <summary>Pages that are not merged yet.</summary>
        internal List<byte[]> Kept { get; } = [];

        internal bool TryKeep(ReadOnlySpan<byte> message, long maxBytes)
        {
            if (_bytes + message.Length > maxBytes)
            {
                return false;
            }

            _bytes += message.Length;
            Kept.Add(message.ToArray());
            return true;
        }

        /// <summary>Asks for what has come to the other since it gave the first page.</summary>
        internal void GoOn(long number)
        {
            (Number, Applied) = (number, Applied.Merge(Goal!.Value.Applied));
            (Goal, From, Tries) = (null, LatticePlace.Start, 0);
        }

        internal LatticePlace From { get; set; } = LatticePlace.Start;

        internal int Tries { get; set; }

        internal TimeSpan RetryAt { get; set; }
    }
}
