using Geo.Consistency.Lattices;
using Cart = Geo.Consistency.Lattices.OrMap<string, Geo.Consistency.Lattices.OrMap<int, Geo.Consistency.Lattices.DotCounter>>;

namespace Geo.Consistency.Tests.Lattices.Kit;

/// <summary>Every lattice, and compositions of them.</summary>
internal static class LatticeCases
{
    private static readonly string[] Words = ["", "apple", "pear", "Zürich", "\U0001F600"];

    internal static TheoryData<LatticeCase> All =>
    [
        new LatticeCase<MaxLattice<long>>("max", (_, _, r) => MaxLattice<long>.Of(r.NextInt64(long.MinValue, long.MaxValue))),
        new LatticeCase<MaxLattice<string>>("max text", (_, _, r) => MaxLattice<string>.Of(Word(r))),
        new LatticeCase<MinLattice<int>>("min", (_, _, r) => MinLattice<int>.Of(r.Next(-9, 9))),
        new LatticeCase<MaxLattice<Guid>>("max guid", (_, a, r) => MaxLattice<Guid>.Of(NewGuid(r))),
        new LatticeCase<BoolOr>("or", (_, _, r) => new(r.Next(9) == 0)),
        new LatticeCase<BoolAnd>("and", (_, _, r) => new(r.Next(9) != 0)),
        new LatticeCase<Stamp>("stamp", (_, a, _) => a.Clock.Next()),
        new LatticeCase<GrowSet<string>>("grow-only set", (_, _, r) => GrowSet<string>.Of(Word(r), Word(r))),
        new LatticeCase<GrowSet<ReplicaId>>("set of replicas", (_, a, _) => GrowSet<ReplicaId>.Of(a.Id)),
        new LatticeCase<VectorClock>("vector clock", (s, a, _) => s.Next(a.Id)),
        new LatticeCase<PnCounter>("counter", (s, a, r) => s.Add(a.Id, r.Next(-5, 6))),
        new LatticeCase<EscrowCounter>("escrow counter", Escrow),
        new LatticeCase<LwwRegister<string>>("last-writer-wins register", (s, a, r) =>
            LwwRegister<string>.Of(Seen(a, s.Stamp).Next(), Word(r))),
        new LatticeCase<MapLattice<string, MaxLattice<long>>>("map", (_, _, r) =>
            MapLattice<string, MaxLattice<long>>.Of(Word(r), MaxLattice<long>.Of(r.Next(9)))),
        new LatticeCase<MapLattice<int, MapLattice<bool, PnCounter>>>("map of maps", (s, a, r) =>
        {
            var (outer, inner) = (r.Next(3), r.Next(2) == 0);
            var delta = MapLattice<bool, PnCounter>.Of(inner, s[outer][inner].Add(a.Id, 1));
            return MapLattice<int, MapLattice<bool, PnCounter>>.Of(outer, delta);
        }),
        new LatticeCase<Pair<BoolOr, GrowSet<int>>>("pair", (_, _, r) => new(new(r.Next(5) == 0), GrowSet<int>.Of(r.Next(9)))),
        new LatticeCase<LexPair<MaxLattice<int>, GrowSet<int>>>("lexicographic pair", (s, _, r) =>
            new(r.Next(2) == 0 ? s.First : MaxLattice<int>.Of(r.Next(5)), GrowSet<int>.Of(r.Next(9)))),
        new LatticeCase<LexPair<Stamp, Pair<PnCounter, BoolAnd>>>("composition of four", (s, a, r) => r.Next(4) == 0
            ? new(Seen(a, s.First).Next(), Pair<PnCounter, BoolAnd>.Bottom)
            : s with { Second = new(s.Second.First.Add(a.Id, 2), new(r.Next(3) > 0)) }),
        new LatticeCase<Generation<GrowSet<int>>>("generation", (s, a, r) =>
            r.Next(4) == 0 ? s.Delete(Seen(a, s.Since).Next()) : s.Update(GrowSet<int>.Of(r.Next(9)))),
        new LatticeCase<CausalContext>("context", (s, a, r) => CausalContext.Of([a.NextDot()])),
        new LatticeCase<Dotted<DotFlag>>("flag", (s, a, r) => r.Next(2) == 0 ? s.Content.Set(a.NextDot()) : s.Content.Clear(a.NextDot())),
        new LatticeCase<Dotted<OrSet<string>>>("observed-remove set", (s, a, r) => r.Next(20) == 0 ? s.Clear(a.NextDot())
            : r.Next(2) == 0 ? s.Content.Add(a.NextDot(), Word(r))
            : s.Content.Remove(a.NextDot(), Word(r))),
        new LatticeCase<Dotted<MvRegister<string>>>("multi-value register", (s, a, r) => s.Content.Write(a.NextDot(), Word(r))),
        new LatticeCase<Dotted<Siblings<GrowSet<int>>>>("siblings", (s, a, r) => s.Content.Write(a.NextDot(), GrowSet<int>.Of(r.Next(9)))),
        new LatticeCase<Dotted<DotCounter>>("counter with removal", (s, a, r) =>
            r.Next(5) == 0 ? s.Clear(a.NextDot()) : s.Content.Add(a.NextDot(), r.Next(-3, 4))),
        new LatticeCase<Dotted<Cart>>("removable map of maps of counters", CartDelta),
        new LatticeCase<Pair<Dotted<OrMap<string, OrSet<int>>>, LwwRegister<bool>>>("dotted beside plain", (s, a, r) => new(
            r.Next(3) == 0
                ? s.First.Content.Remove(a.NextDot(), Word(r))
                : s.First.Content.Update(Word(r), set =>
                    r.Next(3) == 0 ? set.Remove(a.NextDot(), r.Next(4)) : set.Add(a.NextDot(), r.Next(4))),
            LwwRegister<bool>.Of(Seen(a, s.Second.Stamp).Next(), r.Next(2) == 0))),
    ];

    private static Dotted<Cart> CartDelta(Dotted<Cart> state, Actor actor, Random random)
    {
        var (key, inner, dot) = (Word(random), random.Next(3), actor.NextDot());
        return random.Next(6) switch
        {
            0 => state.Content.Remove(dot, key),
            1 => state.Content.Update(key, map => map.Remove(dot, inner)),
            _ => state.Content.Update(key, map => map.Update(inner, counter => counter.Add(dot, 1))),
        };
    }

    private static EscrowCounter Escrow(EscrowCounter state, Actor actor, Random random)
    {
        switch (random.Next(4))
        {
            case 0:
                return state.Add(actor.Id, random.Next(5));
            case 1:
                return state.Give(actor.Id, new((ulong)random.Next(1, 4)), random.NextInt64(state.Rights(actor.Id) + 1));
            default:
                state.TryTake(actor.Id, random.Next(4), out var taken);
                return taken;
        }
    }

    private static HybridClock Seen(Actor actor, Stamp stamp)
    {
        Assert.True(actor.Clock.TrySee(stamp));
        return actor.Clock;
    }

    private static string Word(Random random) => Words[random.Next(Words.Length)];

    private static Guid NewGuid(Random random)
    {
        var bytes = new byte[16];
        random.NextBytes(bytes);
        return new(bytes);
    }
}
