namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>A cluster of an explored schedule: its memory, and the instance that raises updates and reads there.</summary>
internal sealed class ExploredNode(LeaderReplica replica, int configuration)
{
    internal LeaderReplica Replica { get; set; } = replica;

    /// <summary>Which configuration the cluster has processed.</summary>
    internal int Configuration { get; set; } = configuration;

    internal List<ExploredOp> Queue { get; } = [];

    internal long LastSequence { get; set; }

    internal List<ExploredRead> Reads { get; } = [];

    /// <summary>What was shown last.</summary>
    internal ReadOnlyMemory<byte> Shown { get; set; }

    internal long ResolvedThrough => Queue.Count == 0 ? LastSequence : Queue[0].Sequence - 1;
}
