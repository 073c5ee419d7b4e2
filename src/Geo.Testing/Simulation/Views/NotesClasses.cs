using System.Globalization;
using Geo.Embedded;

namespace Geo.Testing;

/// <summary>The classes of a <see cref="ViewSimulation"/>: alike but for their attributes.</summary>
internal static class NotesClasses
{
    public const string Bound = "00:00:02";

    public static readonly TimeSpan MaxStaleness = TimeSpan.Parse(Bound, CultureInfo.InvariantCulture);

    public static readonly IReadOnlyList<Type> All =
        [typeof(Stored), typeof(Replicated), typeof(LedByOne), typeof(One), typeof(OneOptimistic), typeof(OneInMemory)];

    /// <summary>Those whose grains are in every cluster, so that a roll-out of another list is theirs.</summary>
    public static readonly IReadOnlyList<Type> InAllClusters = [typeof(Replicated), typeof(LedByOne), typeof(ByDefault), typeof(Stored)];

    /// <summary>True for the leader-based protocol.</summary>
    public static bool IsLed(Type type) => type.IsDefined(typeof(VersionedLeaderAttribute), inherit: false);

    public static string NameOf(Type type) =>
        ((GrainTypeAttribute)type.GetCustomAttributes(typeof(GrainTypeAttribute), inherit: false)[0]).GrainType + "/1";

    [GrainType("stored"), OneInstancePerCluster, BatchedCas, Reentrant]
    public sealed class Stored : NotesGrain;

    [GrainType("replicated"), OneInstancePerCluster, VersionedLeader(Confirmation = UpdateConfirmation.Replicated), Reentrant]
    public sealed class Replicated : NotesGrain;

    [GrainType("led"), OneInstancePerCluster, VersionedLeader(Confirmation = UpdateConfirmation.Leader), Reentrant]
    public sealed class LedByOne : NotesGrain;

    /// <summary>Only where lists of clusters are rolled out: which rule it has depends on how many they are.</summary>
    [GrainType("default"), OneInstancePerCluster, VersionedLeader, Reentrant]
    public sealed class ByDefault : NotesGrain;

    [GrainType("one"), GlobalSingleInstance(SingleInstanceMode.Pessimistic), BatchedCas, ReadReplica(MaxStaleness = Bound), Reentrant]
    public sealed class One : NotesGrain;

    [GrainType("optimistic"), GlobalSingleInstance, BatchedCas, ReadReplica(MaxStaleness = Bound), Reentrant]
    public sealed class OneOptimistic : NotesGrain;

    [GrainType("memory"), GlobalSingleInstance(SingleInstanceMode.Pessimistic), Reentrant]
    public sealed class OneInMemory : NotesGrain;
}
