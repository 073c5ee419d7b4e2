namespace Geo.Experiments.Activations;

/// <summary>
/// The classes of which activations are weighed: without versions, and by protocol, all with the smallest state there is.
/// </summary>
public static class IdleGrains
{
    public static IReadOnlyList<Type> All { get; } =
        [typeof(Unversioned), typeof(OneUnversioned), typeof(OneInMemory), typeof(OneInStore), typeof(EachInStore), typeof(EachInMemory)];

    public sealed class Unversioned : Grain, IIdle
    {
        public Task Touch() => Task.CompletedTask;
    }

    [GlobalSingleInstance]
    public sealed class OneUnversioned : Grain, IIdle
    {
        public Task Touch() => Task.CompletedTask;
    }

    [GlobalSingleInstance]
    public sealed class OneInMemory : Versioned;

    [GlobalSingleInstance, BatchedCas]
    public sealed class OneInStore : Versioned;

    [OneInstancePerCluster, BatchedCas]
    public sealed class EachInStore : Versioned;

    [OneInstancePerCluster, VersionedLeader]
    public sealed class EachInMemory : Versioned;

    public abstract class Versioned : JournaledGrain<Count, Added>, IIdle
    {
        public Task Touch()
        {
            RaiseEvent(new Added(1));
            return ConfirmEvents();
        }
    }

    public sealed class Count
    {
        public int Sum { get; set; }

        public void Apply(Added added)
        {
            ArgumentNullException.ThrowIfNull(added);
            Sum += added.By;
        }
    }

    public sealed record Added(int By);
}
