namespace Geo.Consistency.Lattices;

/// <summary>What replicas of lattices say to each other.</summary>
internal enum LatticeMessageKind : byte
{
    /// <summary>What the sender has applied; acknowledges what it received.</summary>
    Status = 1,

    /// <summary>Updates that were made at the sender.</summary>
    Frame = 2,

    /// <summary>Asks for all that the sender lacks.</summary>
    Pull = 3,

    /// <summary>A part of what was asked for.</summary>
    Page = 4,
}
