using Geo.Consistency.Lattices;

namespace Geo.Orleans.Tests.Grains;

public sealed class HitsState : LatticeState<PnCounter>
{
    public void Apply(Hit hit) => Update((state, origin) => state.Add(origin.Source, hit.Amount));
}
