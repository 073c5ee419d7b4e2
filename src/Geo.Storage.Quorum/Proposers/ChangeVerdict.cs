namespace Geo.Storage.Quorum;

/// <summary>What a proposer does next for a change.</summary>
internal enum ChangeVerdict
{
    /// <summary>Propose the own value on the present one.</summary>
    Propose,

    /// <summary>No own attempt counts, yet nothing is there, as is expected: propose anew.</summary>
    Restart,

    /// <summary>The own value is the present one, or was before it.</summary>
    Applied,

    /// <summary>The own value is not in the chain and never will be.</summary>
    Conflict,

    /// <summary>It cannot be told any more.</summary>
    Unknown,
}
