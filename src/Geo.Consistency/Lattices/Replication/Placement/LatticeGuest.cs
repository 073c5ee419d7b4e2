namespace Geo.Consistency.Lattices;

/// <summary>
/// When a replica takes part that its cluster has because a part is hot there: a guest of those that have the part by the configuration.
/// Not thread-safe.
/// </summary>
/// <remarks>
/// <para>
/// A guest never ends before its silo does. It takes part while the part is hot, and then until each of those that have the part has all
/// that is here; after that it rests: it is as one that is cut off, keeps what it has, says that it is aside, and nobody sends it anything
/// or waits for it. Hot again it gets what it lacks, and goes on as the same source, so that clocks do not grow with each time.
/// </para>
/// <para>
/// It wakes, too, when one of those that have the part says that it has less, as one does that has begun anew: what all of them have lost
/// is not lost while a guest has it. Otherwise it counts for nothing: who stops neither waits for it nor takes it for one that keeps
/// anything, no update is known by it, and who joins as a guest has all from one of those. While it answers, they keep updates and what
/// was emptied for it, as for each other.
/// </para>
/// </remarks>
internal sealed class LatticeGuest(
    LatticeData data, LatticePeers peers, LatticeRepair repair, LatticeOutbox outbox, LatticeInquiry inquiry)
{
    private long _since;

    /// <summary>True once it was one: others may take it for gone, so it asks them again and again while it takes part.</summary>
    internal bool IsOne => peers.Guest != LatticeGuestState.None && !peers.IsHolder;

    /// <summary>True when it takes part.</summary>
    internal bool TakesPart => IsOne && peers.TakesPart;

    /// <summary>True when calls are to be served here: the part is hot, and all is here that a holder had once it was.</summary>
    internal bool Serves => peers.Guest == LatticeGuestState.Hot && (outbox.Says & LatticeStatusFlags.IsJoined) != 0;

    /// <summary>True when a status was sent by one that has heard this one since the part is hot.</summary>
    internal bool IsSince(LatticeStatus status) => status.Answers >= _since;

    /// <summary>The part is hot.</summary>
    internal void Visit()
    {
        _since = outbox.Asks + 1;
        Begin(LatticeGuestState.Hot);
    }

    /// <summary>The part is not hot any more.</summary>
    internal void Cool()
    {
        if (peers.Guest == LatticeGuestState.Hot)
        {
            peers.Guest = LatticeGuestState.Cool;
        }
    }

    /// <summary>There is something here to hand over, if it rests.</summary>
    internal void Wake()
    {
        if (peers.Guest == LatticeGuestState.Rests)
        {
            Begin(LatticeGuestState.Cool);
        }
    }

    /// <summary>A message has come to a replica that is aside: a status may count it in, wake it, or ask.</summary>
    internal bool TryTakePart(LatticeAddress from, ReplicaId sender, LatticeMessageKind kind, ReadOnlySpan<byte> message)
    {
        if (kind != LatticeMessageKind.Status)
        {
            return false;
        }

        var body = LatticeEnvelope.ReadBody(message, data.Options.Limits);
        var status = LatticeStatus.Read(ref body);
        if (peers.Guest == LatticeGuestState.Rests && peers.MayHold(from) && !status.Is(LatticeStatusFlags.IsAside)
            && data.Cells.Count > 0 && !status.Applied.Covers(data.Vouched)
            && !LatticeRules.IsOff(LatticeRule.GuestWakes) && !LatticeRules.IsOff(LatticeRule.GuestHandsOver))
        {
            Wake();
        }

        return inquiry.Hear(from, sender, status);
    }

    /// <summary>Rests, where it can: one that stops hands over what it has as others do, and they hear of that.</summary>
    internal void Step()
    {
        if (peers.Guest == LatticeGuestState.Cool && !peers.IsHolder && !peers.IsCounted && HasHandedOver
            && (outbox.Says & LatticeStatusFlags.IsLeaving) == 0)
        {
            Begin(LatticeGuestState.Rests);
        }
    }

    private bool HasHandedOver => !peers.Unknown.Any() && repair.IsAtRest
        && (peers.Counted.All(p => p.Applied.Covers(data.Applied)) || LatticeRules.IsOff(LatticeRule.GuestHandsOver))
        && data.Cells.All.All(static cell => cell.Users == 0);

    /// <summary>Begins to take part, or to rest: all are told until they answer.</summary>
    private void Begin(LatticeGuestState state)
    {
        peers.Guest = state;
        peers.Clear();
        outbox.Says &= ~LatticeStatusFlags.IsJoined;
        inquiry.Begin();
    }
}

/// <summary>What becomes of a replica that is here because its part was hot.</summary>
internal enum LatticeGuestState
{
    /// <summary>It is not.</summary>
    None,

    /// <summary>The part is hot.</summary>
    Hot,

    /// <summary>It is not any more, and what is here is handed over.</summary>
    Cool,

    /// <summary>Those that have the part have all that is here.</summary>
    Rests,
}
