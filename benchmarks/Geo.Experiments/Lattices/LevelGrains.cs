using Geo.Consistency.Lattices;

namespace Geo.Experiments.Lattices;

/// <summary>A class for each level, named after it.</summary>
public static class LevelGrains
{
    [CoordinationFree]
    public sealed class SimpleEventual : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.MonotonicReads)]
    public sealed class MonotonicReads : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.ReadYourWrites)]
    public sealed class ReadYourWrites : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.MonotonicWrites)]
    public sealed class MonotonicWrites : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.WritesFollowReads)]
    public sealed class WritesFollowReads : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.Pram)]
    public sealed class Pram : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.Causal)]
    public sealed class Causal : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.ReadUncommitted)]
    public sealed class ReadUncommitted : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.ReadCommitted)]
    public sealed class ReadCommitted : LatticeGrain<LwwRegister<long>>, ILevelled;

    [CoordinationFree(Level = ConsistencyLevel.ItemCut)]
    public sealed class ItemCut : LatticeGrain<LwwRegister<long>>, ILevelled;
}
