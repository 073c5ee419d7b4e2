using Geo.Consistency.Lattices;

namespace Geo.Experiments.Lattices;

/// <summary>A counter that every region adds to and reads.</summary>
public interface IRegionCounter : IGrainWithStringKey
{
    /// <summary>Adds one; ends when the class's protocol has accepted it.</summary>
    Task Add();

    /// <summary>The value; the latest of all regions where the protocol has such a thing.</summary>
    Task<long> Get();
}

/// <summary>The classes that are compared.</summary>
public static class RegionGrains
{
    /// <summary>All of them, with their names in tables.</summary>
    public static IReadOnlyList<(Type Type, string Name)> Classes { get; } =
        [(typeof(Free), "coordination-free"), (typeof(Led), "[VersionedLeader]"), (typeof(Stored), "[BatchedCas]")];

    [CoordinationFree]
    public sealed class Free : LatticeGrain<PnCounter>, IRegionCounter
    {
        public Task Add()
        {
            Update(static (state, origin) => state.Add(origin.Source, 1));
            return Task.CompletedTask;
        }

        public Task<long> Get() => Task.FromResult(State.Value);
    }

    [OneInstancePerCluster, VersionedLeader]
    public sealed class Led : Linearizable;

    [OneInstancePerCluster, BatchedCas]
    public sealed class Stored : Linearizable;

    public abstract class Linearizable : JournaledGrain<Sum, One>, IRegionCounter
    {
        public Task Add()
        {
            RaiseEvent(new One());
            return ConfirmEvents();
        }

        public async Task<long> Get()
        {
            await RefreshNow();
            return State.Value;
        }
    }

    public sealed class Sum
    {
        public long Value { get; set; }

        public void Apply(One one)
        {
            ArgumentNullException.ThrowIfNull(one);
            Value++;
        }
    }

    public sealed record One;
}
