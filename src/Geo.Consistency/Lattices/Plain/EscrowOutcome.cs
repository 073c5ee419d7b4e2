namespace Geo.Consistency.Lattices;

/// <summary>What became of an attempt to take from an <see cref="EscrowCounter"/>.</summary>
public enum EscrowOutcome
{
    /// <summary>It was taken.</summary>
    Taken,

    /// <summary>
    /// The replica's own rights do not suffice; all known ones together would. Ask the replica with most for a transfer.
    /// </summary>
    NotHere,

    /// <summary>All known rights together do not suffice.</summary>
    NoneKnown,
}
