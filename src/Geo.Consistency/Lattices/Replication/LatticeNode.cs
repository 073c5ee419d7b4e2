namespace Geo.Consistency.Lattices;

/// <summary>
/// One replica of all coordination-free grains of a silo, as a state machine: updates, messages and the passing of time go in, messages
/// come out (Anna section V; the worked design's sections 4.1 to 4.9). Not thread-safe. More than 400 lines: what goes in and what comes
/// out, one after the other; what it decides by is in parts of its own.
/// </summary>
/// <remarks>
/// <para>
/// Updates made here are numbered. At the end of an epoch each other replica is sent, as one frame, all of them after a number up to
/// which it was sent before (its cursor), merged by grain. A receiver merges a frame that leaves no gap to what it has, and says how far
/// it has all; what it does not acknowledge is sent again with all that has come to it, so there is no queue of frames.
/// </para>
/// <para>
/// Replicas tell each other what they have of every source. Who lacks something that does not come by itself asks one that has it
/// (<see cref="LatticeRepair"/>): that is the way of all updates of a source that has died, of a replica that begins, and of more than a
/// frame holds. Nothing is sent while nothing changes.
/// </para>
/// </remarks>
internal sealed class LatticeNode
{
    private readonly LatticeOptions _options;
    private readonly LatticeRepair _repair;
    private readonly LatticeFrames _frames;
    private readonly LatticePages _pages;
    private readonly LatticeInbox _inbox;
    private readonly LatticeOutbox _outbox;
    private readonly LatticeInquiry _inquiry;
    private TimeSpan? _epochEnds;
    private TimeSpan _collectAt;
    private long _leaveAsk;
    private readonly LatticeEpochs _epochs = new();

    /// <param name="id">The replica, drawn anew for each start.</param>
    /// <param name="time">The clock of the stamps.</param>
    /// <param name="options">Limits and times.</param>
    /// <param name="classes">The grain classes that this silo has.</param>
    /// <param name="others">The other clusters of the present configuration, and the other silos of this cluster.</param>
    /// <param name="domain">Whether it keeps the order of what follows what.</param>
    /// <param name="isHolder">True where this cluster has one by the present configuration; null for always.</param>
    /// <param name="visitors">The other clusters, which have none by it, and may by an earlier one; null for none.</param>
    internal LatticeNode(
        ReplicaId id, TimeProvider time, LatticeOptions options, Func<string, LatticeClass?> classes,
        Func<IReadOnlyList<LatticeAddress>> others, LatticeDomain domain = LatticeDomain.Free, Func<bool>? isHolder = null,
        Func<IEnumerable<ClusterId>>? visitors = null)
    {
        _options = options;
        Data = new(id, time, options, classes);
        Peers = new(
            id, others, isHolder ?? (static () => true), () => Data.Cells.Count > 0, visitors ?? (static () => []), options.StatusInterval);
        _frames = new(Data, domain);
        (_repair, _pages) = (new(Data, domain), new(Data, domain));
        Data.CollectedOf = _repair.CollectedOf;
        (_inbox, _outbox, Rights) = (new(Data, Peers, _repair.AddStray), new(Data, Peers), new(this));
        _inquiry = new(Peers, _outbox, options);
        Guest = new(Data, Peers, _repair, _outbox, _inquiry);
    }

    internal LatticeData Data { get; }

    internal LatticePeers Peers { get; }

    /// <summary>Asks others for what is lacking here.</summary>
    internal LatticeRepair Repair => _repair;

    /// <summary>What it may take from bounded counters.</summary>
    internal LatticeRights Rights { get; }

    /// <summary>Whether it is here because its part was hot, and takes part.</summary>
    internal LatticeGuest Guest { get; }

    /// <summary>When to <see cref="Step"/> next; null for when something happens.</summary>
    internal TimeSpan? DueAt(TimeSpan now)
    {
        var due = Least(Least(UpdatesDueAt, _repair.DueAt), Least(_repair.NextAt(Peers), _repair.StraysAt));
        due = Least(due, _inquiry.DueAt);
        foreach (var peer in Peers.All)
        {
            due = Least(Least(due, peer.TellAt), peer.AskBackAt);
            due = IsUnacknowledged(peer) ? Least(due, peer.RetryAt) : due;
            due = peer.IsDue && peer.Sent < Data.Last && HasRoom(peer) ? now : due;
        }

        return due;
    }

    /// <summary>When to do what an update made here calls for.</summary>
    internal TimeSpan? UpdatesDueAt => Data.HasEmpty ? Least(_epochEnds, _collectAt) : _epochEnds;

    /// <summary>True once this replica has all that those had which were there before it.</summary>
    internal bool HasJoined => (_outbox.Says & LatticeStatusFlags.IsJoined) != 0;

    /// <summary>The messages to send, in their order.</summary>
    internal IReadOnlyList<LatticeSend> TakeOutput() => _outbox.Take();

    /// <summary>Makes an update.</summary>
    /// <param name="cell">The grain.</param>
    /// <param name="change">Gives the delta.</param>
    /// <param name="now">The time.</param>
    /// <param name="follows">What is shown here, and is to be shown before everywhere; null for nothing.</param>
    /// <param name="stamp">The stamps of its transaction; null for none.</param>
    /// <returns>False when it changes nothing.</returns>
    internal bool Update<T>(
        LatticeCell<T> cell, Func<T, LatticeOrigin, T> change, TimeSpan now, VectorClock? follows = null, TransactionStamp? stamp = null)
        where T : ILattice<T>
    {
        if (!Data.Update(cell, change, stamp))
        {
            return false;
        }

        Guest.Wake();
        if (Data.KeepsUpdates)
        {
            _epochEnds ??= now + _options.Epoch;
            if (follows is not null)
            {
                _frames.Note(follows);
            }
        }

        return true;
    }

    /// <summary>A link to a cluster came up: what is not acknowledged is sent at once.</summary>
    internal void LinkUp(ClusterId cluster, TimeSpan now)
    {
        _inquiry.LinkUp(cluster);
        foreach (var peer in Peers.All.Where(p => p.Address == new LatticeAddress(cluster)))
        {
            peer.SendAgain();
            (peer.IsDue, peer.Tries) = (peer.Sent < Data.Last, 0);
            peer.TellBy(now);
        }
    }

    /// <summary>Ends the epoch now.</summary>
    internal void Flush(TimeSpan now) => _epochEnds = now;

    /// <summary>This replica is about to stop, and says so: nobody is to give it anything. All are asked whether they live.</summary>
    internal void Leave(TimeSpan now)
    {
        _leaveAsk = _outbox.Asks + 1;
        Say(LatticeStatusFlags.IsLeaving, now);
        foreach (var peer in Peers.All)
        {
            peer.AskBackAt = now;
        }
    }

    /// <summary>True once this replica is about to stop.</summary>
    internal bool IsLeaving => _leaveAsk > 0;

    /// <summary>
    /// True when it has heard that this replica is about to stop. Before, it may be one that has stopped itself, and has begun anew since.
    /// </summary>
    internal bool HasHeardOfLeaving(LatticePeer peer) => peer.Answered >= _leaveAsk;

    /// <summary>Asks all others what they have, to have it here as soon as can be.</summary>
    internal LatticePullWait Pull(TimeSpan now)
    {
        var wait = new LatticePullWait(_outbox.Asks + 1, now + _options.RetryAfter);
        foreach (var peer in Peers.All)
        {
            _outbox.SendStatus(peer.Address, peer.Id, wantsAnswer: true);
        }

        return wait;
    }

    /// <summary>A cluster cannot be reached: what it may have sent to this replica alone is made known.</summary>
    internal void LinkDown(ClusterId cluster, TimeSpan now)
    {
        foreach (var peer in Peers.All.Where(p => p.Address.Cluster != cluster && !p.HasHeard(Data)))
        {
            // What is asked may be lost, too, and that be heard of here: of two clusters that are down, each would lead to the other.
            var soon = LatticeRules.IsOff(LatticeRule.AskSeldom) ? now : peer.AskedAt + _options.RetryAfter;
            peer.AskBackAt = soon > now ? Least(peer.AskBackAt, soon) : now;
        }
    }

    /// <summary>Takes a message.</summary>
    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    internal void Receive(LatticeAddress from, ReadOnlySpan<byte> message, TimeSpan now)
    {
        var (kind, to, sender) = LatticeEnvelope.ReadHead(message);
        if (sender == Data.Id || !Peers.Knows(from) || (!Peers.TakesPart && !Guest.TryTakePart(from, sender, kind, message)))
        {
            return;
        }

        if (to != Data.Id && to != LatticeEnvelope.Anyone)
        {
            _outbox.PassOn(from, sender, to, message);
            return;
        }

        Peers.Find(sender)?.HeardAt = now;
        var body = LatticeEnvelope.ReadBody(message, _options.Limits);
        switch (kind)
        {
            case LatticeMessageKind.Status:
                Take(from, sender, LatticeStatus.Read(ref body), to == Data.Id, now);
                break;
            case LatticeMessageKind.Frame:
                Take(from, sender, LatticeFrameHead.Read(ref body), new CellReader(body), message, now);
                break;
            case LatticeMessageKind.Pull:
                var page = _pages.Answer(LatticePull.Read(ref body));
                _outbox.Send(from, sender, LatticeEnvelope.Write(LatticeMessageKind.Page, Data.Id, page));
                break;
            case LatticeMessageKind.Page:
                _repair.Take(sender, LatticePageHead.Read(ref body), new CellReader(body), message, now, _outbox.Send);
                _inbox.MergeHeld(now);
                break;
            default:
                throw LatticeReader.Damaged($"is of kind {(byte)kind}, which this version of Geo does not know");
        }
    }

    /// <summary>Does what is due.</summary>
    internal void Step(TimeSpan now)
    {
        var epochEnded = _epochEnds <= now;
        if (epochEnded)
        {
            _epochEnds = null;
            Data.EndEpoch();
            _epochs.End(Data.Last, now);
        }

        if (Peers.Refresh(now))
        {
            TellAllBy(now + _options.Epoch);
        }

        _inbox.Forget(now);
        foreach (var peer in Peers.All)
        {
            SendUpdates(peer, epochEnded, now);
            Tell(peer, now);
        }

        Guest.Step();
        _inquiry.Step(now);
        if (_repair.Step(Peers, now, _outbox.Send) && Data.KeepsUpdates)
        {
            _epochEnds ??= now + _options.Epoch;
        }

        if (!HasJoined && Peers.TakesPart && (Guest.IsOne || _inquiry.IsOver(now)) && Peers.HaveGivenAll(Data.Applied))
        {
            Say(LatticeStatusFlags.IsJoined, now);
        }

        Trim();
        if (now >= _collectAt)
        {
            _collectAt = now + _options.CollectInterval;
            Data.Collect(Peers.Stable(Data.Vouched));
        }
    }

    /// <summary>What the other clusters have not acknowledged of what was made here.</summary>
    internal IEnumerable<LatticeLag> Lags(TimeSpan now) =>
        Peers.All.Where(p => p.Address.Silo is null).SelectMany(peer => LatticeLag.Of(peer, Data, number => _epochs.Since(number, now)));

    /// <summary>
    /// True while this replica lacks, or has not handed over, what moves where another list of clusters or number of replicas comes into
    /// force: one that has a part by the present configuration has not heard of all that may have something; one that has none has what
    /// those that do and do not stop have not acknowledged, or may take what they may not yet.
    /// </summary>
    internal bool IsMoving => Peers.IsHolder
        ? !HasJoined || _inquiry.IsOpen
        : Peers.TakesPart && (!Guest.IsOne || Peers.IsCounted) && (Peers.Unknown.Any() || Rights.HasAny
            || !Peers.Counted.All(p => !p.IsLeaving && p.Applied.Covers(Data.Vouched)));

    /// <summary>For people.</summary>
    public override string ToString() =>
        $"{Data.Id} has {Data.Applied}; "
        + string.Join("; ", Peers.All.Select(p => $"{p.Address} {p.Id} has {p.Applied}, is ahead by {p.Ahead}"));

    private void SendUpdates(LatticePeer peer, bool epochEnded, TimeSpan now)
    {
        var isOverdue = IsUnacknowledged(peer) && now >= peer.RetryAt;
        if (isOverdue)
        {
            peer.SendAgain();
            peer.Tries++;
        }

        peer.IsDue = peer.Sent < Data.Last && (epochEnded || isOverdue || peer.IsDue);
        if (!peer.IsDue || !HasRoom(peer))
        {
            return;
        }

        peer.IsDue = false;
        var frame = peer.Sent < Data.Trimmed && !LatticeRules.IsOff(LatticeRule.TrimAcknowledged) ? null : _frames.After(peer.Sent);
        peer.IsSent(Data.Last, frame?.Length ?? 0);
        peer.RetryAt = now + _options.WaitAfter(peer.Tries);
        if (frame is null)
        {
            // More than a frame holds, or no longer known update by update: the other is to ask for it.
            _outbox.SendStatus(peer.Address, peer.Id, wantsAnswer: false, LatticeStatusFlags.MustPull);
        }
        else
        {
            _outbox.Send(peer.Address, peer.Id, frame);
        }
    }

    private void Tell(LatticePeer peer, TimeSpan now)
    {
        // Once nothing changes, each replica comes to know that each other one knows what it has, and falls silent; a visitor may be gone.
        // One without a part keeps what it has until those that have one have it, which they may have from each other: it asks.
        var hasLet = HasHeardOfLeaving(peer) && (_leaveAsk == 0 || peer.Told.Covers(Data.Vouched))
            && (peer.IsPresent || Peers.IsHolder || Guest.IsOne);
        var hasIt = Peers.IsHolder || peer.Address.Silo is not null || peer.Applied.Covers(Data.Vouched);
        var hasHeard = peer.HasHeard(Data) && hasIt && HasJoined && hasLet && !Peers.IsVisitor(peer) && !Guest.IsOne;
        var again = now + (hasLet ? _options.StatusInterval : _options.RetryAfter);
        peer.AskBackAt = hasHeard ? null : peer.AskBackAt ?? again;
        if (peer.TellAt <= now || peer.AskBackAt <= now)
        {
            _outbox.SendStatus(peer.Address, peer.Id, wantsAnswer: peer.AskBackAt <= now);
            (peer.AskBackAt, peer.AskedAt) = peer.AskBackAt <= now ? (again, now) : (peer.AskBackAt, peer.AskedAt);
            peer.TellAt = null;
        }
    }

    private void Take(LatticeAddress from, ReplicaId sender, LatticeStatus status, bool knowsThis, TimeSpan now)
    {
        if (!_inquiry.Hear(from, sender, status))
        {
            return;
        }

        if (!Data.KeepsUpdates)
        {
            Data.Trim(Data.Last);
            Data.KeepsUpdates = true;
        }

        if (Peers.Set(from, from.Silo is null ? status.Members : [sender], _outbox.Asks, now))
        {
            // That others are known here is told soon: until then nothing counts as settled.
            TellAllBy(now + _options.Epoch);
        }

        if (Peers.Find(sender) is not { } peer)
        {
            return;
        }

        peer.Hear(status, knowsThis && Guest.IsSince(status), Data, now);
        if (status.Ask > 0)
        {
            peer.TellBy(now);
        }

        Rights.PassOn(peer, now);
        Trim();
    }

    private void Take(
        LatticeAddress from, ReplicaId sender, LatticeFrameHead head, CellReader cells, ReadOnlySpan<byte> message, TimeSpan now)
    {
        _inbox.Take(sender, head, cells, message, now);
        if (Peers.Find(sender) is { } peer)
        {
            peer.TellBy(now + _options.Epoch);
        }
        else
        {
            _outbox.SendStatus(from, sender, wantsAnswer: true);
        }
    }

    private void Say(LatticeStatusFlags flag, TimeSpan now)
    {
        _outbox.Says |= flag;
        TellAllBy(now);
    }

    private void TellAllBy(TimeSpan time)
    {
        foreach (var peer in Peers.All)
        {
            peer.TellBy(time);
        }
    }

    private void Trim()
    {
        var acknowledged = Peers.Acknowledged(Data.Last);
        Data.Trim(acknowledged);
        _epochs.Trim(acknowledged);
        _frames.Trim(acknowledged);
    }

    private static bool IsUnacknowledged(LatticePeer peer) => peer.Sent > peer.Acknowledged && !LatticeRules.IsOff(LatticeRule.Retry);

    private bool HasRoom(LatticePeer peer) => peer.BytesInFlight < _options.MaxBytesInFlight;

    private static TimeSpan? Least(TimeSpan? a, TimeSpan? b) => a is null || b < a ? b : a;
}
