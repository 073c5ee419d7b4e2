namespace Geo.Consistency.Lattices;

/// <summary>Another replica, as one replica knows it.</summary>
/// <param name="id">It.</param>
/// <param name="address">Where it is.</param>
/// <param name="heardAt">When it was heard first, or of it.</param>
/// <param name="asks">The last asking from here before.</param>
internal sealed class LatticePeer(ReplicaId id, LatticeAddress address, TimeSpan heardAt = default, long asks = 0)
{
    private readonly Queue<(long Through, int Bytes)> _inFlight = new();

    internal ReplicaId Id => id;

    internal LatticeAddress Address => address;

    /// <summary>When it was heard last, or of it.</summary>
    internal TimeSpan HeardAt { get; set; } = heardAt;

    /// <summary>What it has said that it has, but for sources beyond what it had put aside.</summary>
    internal VectorClock Applied { get; private set; } = VectorClock.Bottom;

    /// <summary>What it has said that it has beyond what it had put aside.</summary>
    internal VectorClock Beyond { get; private set; } = VectorClock.Bottom;

    /// <summary>Both.</summary>
    internal VectorClock Told => Applied.Merge(Beyond);

    /// <summary>What it had when it was asked for all, whether that was told by number or not, but for what it had put aside.</summary>
    private VectorClock GivenTold { get; set; } = VectorClock.Bottom;

    /// <summary>What it had of all grains when it was asked for all: what it had put aside then, it may give later.</summary>
    private VectorClock GivenVouched { get; set; } = VectorClock.Bottom;

    /// <summary>The number up to which it needs no updates made here any more: it has them, or has put them aside.</summary>
    internal long Acknowledged { get; private set; }

    /// <summary>What it has said that is lacking here, and since when; null when nothing is. Kept until it is not lacking.</summary>
    internal (VectorClock Told, VectorClock Vouched, TimeSpan Since)? Ahead { get; set; }

    /// <summary>True when it cannot send what is lacking, and is to be asked.</summary>
    internal bool MustBeAsked { get; set; }

    /// <summary>The grains of which it has put something aside.</summary>
    internal LatticeLacking Lacking { get; private set; } = new();

    /// <summary>The number up to which the updates made here were sent to it.</summary>
    internal long Sent { get; set; }

    /// <summary>What was sent and not acknowledged, in bytes.</summary>
    internal long BytesInFlight { get; private set; }

    /// <summary>
    /// True when updates are to be sent before the epoch ends: it has just come, can be reached again, or has room again.
    /// </summary>
    internal bool IsDue { get; set; } = true;

    /// <summary>When to send again what it has not acknowledged.</summary>
    internal TimeSpan RetryAt { get; set; }

    /// <summary>How often that was done in vain.</summary>
    internal int Tries { get; set; }

    /// <summary>When to tell it what was applied here; null when it need not be told.</summary>
    internal TimeSpan? TellAt { get; set; }

    /// <summary>What it has confirmed to have heard of this replica, but for sources beyond what was put aside here.</summary>
    private VectorClock Confirmed { get; set; } = VectorClock.Bottom;

    private VectorClock ConfirmedBeyond { get; set; } = VectorClock.Bottom;

    /// <summary>The last asking of it that was heard here.</summary>
    internal long Asked { get; private set; }

    /// <summary>The last asking from here that it has heard.</summary>
    internal long Answered { get; private set; }

    /// <summary>
    /// True once it has answered since it is known here: it knows this replica, and was not told of by a late message of an earlier life.
    /// </summary>
    internal bool IsPresent => Answered > asks || LatticeRules.IsOff(LatticeRule.HeirsAnswer);

    /// <summary>True once it has told what it has.</summary>
    internal bool HasTold { get; private set; }

    /// <summary>True once it has told this replica by name, so that it knew of it.</summary>
    internal bool KnowsThis { get; private set; }

    /// <summary>
    /// What it had when it first told this replica by name that it had joined the others; null before. What all had that knew this one's
    /// forerunner and not this one (<see cref="LatticePeers.Settled"/>) is in it.
    /// </summary>
    internal VectorClock? JoinedWith { get; private set; }

    /// <summary>Stands for the replicas that it knew when it last told what it has (<see cref="LatticePeers.Everyone"/>).</summary>
    internal ulong Everyone { get; private set; }

    /// <summary>True when it is about to stop.</summary>
    internal bool IsLeaving { get; private set; }

    /// <summary>True when it passes on what it may take, because it has no part by its own configuration.</summary>
    internal bool IsGuest { get; private set; }

    /// <summary>True when it has confirmed to have heard all that is here.</summary>
    internal bool HasHeard(LatticeData data) => Confirmed.Covers(data.Vouched) && ConfirmedBeyond.Covers(data.Beyond);

    /// <summary>True when it may give what others lacked that were asked.</summary>
    internal bool CanHeal(LatticeData data) => data.Holes.CanHeal(Applied, GivenVouched);

    /// <summary>Hears what it has.</summary>
    /// <param name="status">That.</param>
    /// <param name="knowsThis">True when it told this replica by name, so that it knew of it.</param>
    /// <param name="data">What is here.</param>
    /// <param name="now">The time.</param>
    internal void Hear(LatticeStatus status, bool knowsThis, LatticeData data, TimeSpan now)
    {
        (HasTold, KnowsThis) = (true, KnowsThis || knowsThis);

        // What was overtaken is older: it may have known others then, and have had less.
        Everyone = status.Applied.Covers(Applied) ? status.Everyone : Everyone;
        (Applied, Beyond) = (Applied.Merge(status.Applied), Beyond.Merge(status.Beyond));
        (Confirmed, ConfirmedBeyond) = (Confirmed.Merge(status.Heard), ConfirmedBeyond.Merge(status.HeardBeyond));
        JoinedWith ??= knowsThis && status.Is(LatticeStatusFlags.IsJoined) ? Applied : null;
        IsGuest = status.Is(LatticeStatusFlags.IsGuest);
        IsLeaving |= status.Is(LatticeStatusFlags.IsLeaving);
        Lacking = status.Lacking.Version > Lacking.Version ? status.Lacking : Lacking;
        Asked = Math.Max(Asked, status.Ask);
        Answered = Math.Max(Answered, status.Answers);
        if (status.Received > Acknowledged)
        {
            (Acknowledged, Tries) = (status.Received, 0);
            Sent = Math.Max(Sent, Acknowledged);
            while (_inFlight.TryPeek(out var sent) && sent.Through <= Acknowledged)
            {
                BytesInFlight -= _inFlight.Dequeue().Bytes;
            }
        }

        if (NoteAhead(Told, Applied, data, now))
        {
            MustBeAsked |= status.Is(LatticeStatusFlags.MustPull);
        }
    }

    /// <summary>Hears that it has this.</summary>
    /// <param name="told">What it has but for what it has put aside.</param>
    /// <param name="vouched">What it has of all grains.</param>
    /// <param name="data">What is here.</param>
    /// <param name="now">The time.</param>
    /// <returns>Whether any of it is lacking here.</returns>
    internal bool NoteAhead(VectorClock told, VectorClock vouched, LatticeData data, TimeSpan now)
    {
        var isAhead = !IsHere(told, vouched, data);
        Ahead = isAhead ? Ahead ?? (told, vouched, now) : Ahead;
        return isAhead;
    }

    /// <summary>It has given all that it can of what it had when it was asked; what it has told since is still lacking.</summary>
    /// <param name="told">What that was, but for what it had put aside.</param>
    /// <param name="vouched">What of it was of all grains.</param>
    /// <param name="data">What is here.</param>
    /// <param name="now">The time.</param>
    internal void HasAnswered(VectorClock told, VectorClock vouched, LatticeData data, TimeSpan now)
    {
        (GivenTold, GivenVouched) = (GivenTold.Merge(told), GivenVouched.Merge(vouched));
        (Ahead, MustBeAsked) = (null, false);
        NoteAhead(Told, Applied, data, now);
    }

    /// <summary>What it was ahead by is not lacking any more, where it is here; what it has told since may be.</summary>
    internal void ForgetAhead(LatticeData data, TimeSpan now)
    {
        if (Ahead is { } ahead && IsHere(ahead.Told, ahead.Vouched, data))
        {
            (Ahead, MustBeAsked) = (null, false);
            NoteAhead(Told, Applied, data, now);
        }
    }

    /// <summary>Updates are on their way.</summary>
    internal void IsSent(long through, int bytes)
    {
        Sent = through;
        BytesInFlight += bytes;
        _inFlight.Enqueue((through, bytes));
    }

    /// <summary>What is on its way may have been lost: it is sent again, with all that has come to it.</summary>
    internal void SendAgain()
    {
        Sent = Acknowledged;
        BytesInFlight = 0;
        _inFlight.Clear();
    }

    /// <summary>
    /// When to tell it, and ask whether it has heard, where it has not confirmed what was applied here; null where it has.
    /// </summary>
    internal TimeSpan? AskBackAt { get; set; }

    /// <summary>When it was asked last whether it has heard; null for never.</summary>
    internal TimeSpan? AskedAt { get; set; }

    internal void TellBy(TimeSpan time) => TellAt = TellAt is { } before && before < time ? before : time;

    private bool IsHere(VectorClock told, VectorClock vouched, LatticeData data) =>
        (data.Applied.Covers(told) || data.Applied.Merge(GivenTold).Covers(told))
        && !data.Holes.CanHeal(vouched, GivenVouched);
}
