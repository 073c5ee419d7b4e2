namespace Geo.Consistency.Lattices;

/// <summary>Waits until a replica has what others had when they were asked.</summary>
/// <param name="ask">The first of the askings.</param>
/// <param name="until">How long those that do not answer are waited for.</param>
internal sealed class LatticePullWait(long ask, TimeSpan until)
{
    private readonly Dictionary<ReplicaId, VectorClock> _goals = [];

    /// <summary>How long those that do not answer are waited for.</summary>
    internal TimeSpan Until => until;

    /// <summary>True when all that the others have answered is here; what is not is asked for at once.</summary>
    internal bool IsOver(LatticePeers peers, VectorClock applied, TimeSpan now)
    {
        foreach (var peer in peers.All)
        {
            if (peer.Answered >= ask)
            {
                _goals.TryAdd(peer.Id, peer.Applied);
            }

            peer.MustBeAsked |= peer.Ahead is not null;
        }

        var haveAnswered = now >= until || (!peers.Unknown.Any() && peers.All.All(p => _goals.ContainsKey(p.Id)));
        return haveAnswered && _goals.All(g => peers.Find(g.Key) is null || applied.Covers(g.Value));
    }
}
