namespace Geo.Consistency.Lattices;

/// <summary>
/// Finds the other replicas: asks at addresses of which none is known, and, where some clusters only have replicas, in all clusters
/// whether they have any by another configuration, or count this one in. Nothing hangs on one message: who does not answer is asked again.
/// </summary>
internal sealed class LatticeInquiry(LatticePeers peers, LatticeOutbox outbox, LatticeOptions options)
{
    // Of StatusInterval: as long as clusters that should have no replica are waited for before this one counts as complete.
    private const int Patience = 6;

    private TimeSpan _at = TimeSpan.MinValue;
    private TimeSpan? _begun;
    private int _tries;

    /// <summary>When to ask next; null when all have answered.</summary>
    internal TimeSpan? DueAt => IsOpen ? _at : null;

    /// <summary>True where an address had not answered when this was done last.</summary>
    internal bool IsOpen { get; private set; } = true;

    /// <summary>True where all that may have something have said so, or were asked for long.</summary>
    internal bool IsOver(TimeSpan now) => !IsOpen || _begun + (Patience * options.StatusInterval) <= now || !peers.Unasked.Any();

    /// <summary>Asks all anew.</summary>
    internal void Begin() => (_begun, _at, _tries) = (null, TimeSpan.MinValue, 0);

    /// <summary>A cluster can be reached: its silos may have begun anew since.</summary>
    internal void LinkUp(ClusterId cluster)
    {
        peers.AskAgain(new(cluster));
        (_at, _tries) = (TimeSpan.MinValue, 0);
    }

    /// <summary>Asks where that is due.</summary>
    internal void Step(TimeSpan now)
    {
        _begun ??= now;
        var open = peers.Unknown.Concat(peers.Unasked).ToList();
        IsOpen = open.Count > 0;
        if (!IsOpen)
        {
            _tries = 0;
        }
        else if (now >= _at)
        {
            _at = now + options.WaitAfter(_tries++);
            open.ForEach(address => outbox.SendStatus(address, LatticeEnvelope.Anyone, wantsAnswer: true));
        }
    }

    /// <summary>Hears a status of a replica; both may be aside.</summary>
    /// <returns>False where there is no more to it.</returns>
    internal bool Hear(LatticeAddress from, ReplicaId sender, LatticeStatus status)
    {
        if (status.Is(LatticeStatusFlags.CountsReceiver))
        {
            peers.CountIn();
        }

        peers.HasAnswered(from);
        if (status.Is(LatticeStatusFlags.IsAside))
        {
            peers.Leave(sender);
        }

        if (peers.TakesPart && !status.Is(LatticeStatusFlags.IsAside))
        {
            return true;
        }

        if (status.Ask > 0)
        {
            outbox.SendStatus(from, sender, wantsAnswer: false);
        }

        return false;
    }
}
