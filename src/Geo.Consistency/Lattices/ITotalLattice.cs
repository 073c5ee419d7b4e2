namespace Geo.Consistency.Lattices;

/// <summary>
/// A lattice of which any two values can be compared: their merge is the greater one. <see cref="LexPair{TFirst, TSecond}"/> demands it
/// of its first part: on a partial order the lexicographic pair of Anna section VI-B is not associative.
/// </summary>
/// <typeparam name="TSelf">The lattice itself.</typeparam>
public interface ITotalLattice<TSelf> : ILattice<TSelf>, IComparable<TSelf>
    where TSelf : ITotalLattice<TSelf>;
