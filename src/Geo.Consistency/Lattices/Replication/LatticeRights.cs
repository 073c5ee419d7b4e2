namespace Geo.Consistency.Lattices;

/// <summary>What a replica may take from bounded counters, and nobody may take once it has stopped (design 1.8).</summary>
internal sealed class LatticeRights(LatticeNode node)
{
    /// <summary>True when it may take anything.</summary>
    internal bool HasAny => Counters.Any();

    private IEnumerable<LatticeCell<EscrowCounter>> Counters => node.Data.Cells.All.OfType<LatticeCell<EscrowCounter>>()
        .Where(cell => cell.State.Rights(node.Data.Id) > 0);

    /// <summary>Gives all to a living replica; it cannot be taken back.</summary>
    internal void Give(ReplicaId heir, TimeSpan now)
    {
        foreach (var counter in Counters.ToList())
        {
            node.Update(counter, (state, origin) => state.Give(origin.Source, heir, state.Rights(origin.Source)), now);
        }
    }
}
