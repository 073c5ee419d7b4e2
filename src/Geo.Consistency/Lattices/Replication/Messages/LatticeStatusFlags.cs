namespace Geo.Consistency.Lattices;

/// <summary>What a replica says of itself.</summary>
[Flags]
internal enum LatticeStatusFlags : byte
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>It cannot send what the receiver lacks; the receiver is to ask for it.</summary>
    MustPull = 1,

    /// <summary>It has had all that the others had before it began.</summary>
    IsJoined = 2,

    /// <summary>It is about to stop.</summary>
    IsLeaving = 4,

    /// <summary>It counts its receiver's cluster among those that have replicas.</summary>
    CountsReceiver = 8,

    /// <summary>It has no part in what the replicas of the group do: it has nothing, and nobody counts it in as far as it knows.</summary>
    IsAside = 16,

    /// <summary>It has no part by its own configuration: it passes on what it may take.</summary>
    IsGuest = 32,
}
