namespace Geo.Consistency.Lattices;

/// <summary>What a replica may take from bounded counters, and nobody may take once it has stopped (design 1.8).</summary>
internal sealed class LatticeRights(LatticeNode node)
{
    private TimeSpan _passOnAt;

    /// <summary>True when it may take anything.</summary>
    internal bool HasAny => Counters.Any();

    private IEnumerable<LatticeCell<EscrowCounter>> Counters => node.Data.Cells.All.OfType<LatticeCell<EscrowCounter>>()
        .Where(cell => cell.State.Rights(node.Data.Id) > 0);

    /// <summary>
    /// Gives all to a replica that has just been heard, and knows this one, so that it waits for it when it stops, where nobody can take
    /// it here: an earlier configuration may have given it here, or one that has stopped since.
    /// </summary>
    internal void PassOn(LatticePeer heard, TimeSpan now)
    {
        // Who stops gives them to one that it then waits for.
        if (!node.IsLeaving && !node.Peers.IsHolder && now >= _passOnAt && heard.Address.Silo is null && heard.IsPresent
            && !heard.IsLeaving && !node.Peers.IsVisitor(heard) && HasAny)
        {
            // Seldom: while settings differ, the other one may take it for a part of this one.
            _passOnAt = now + node.Data.Options.StatusInterval;
            Give(heard.Id, now);
        }
    }

    /// <summary>Gives all to a living replica; it cannot be taken back.</summary>
    internal void Give(ReplicaId heir, TimeSpan now)
    {
        foreach (var counter in Counters.ToList())
        {
            node.Update(counter, (state, origin) => state.Give(origin.Source, heir, state.Rights(origin.Source)), now);
        }
    }
}
