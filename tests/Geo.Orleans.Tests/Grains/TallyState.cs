using Geo.Consistency.Lattices;

namespace Geo.Orleans.Tests.Grains;

public sealed class TallyState : LatticeState<PnCounter>
{
    public void Apply(Counted counted) => Update((state, origin) => state.Add(origin.Source, counted.Amount));
}
