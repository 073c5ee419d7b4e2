namespace TpcwMini.Clusters;

/// <summary>What a silo can be asked.</summary>
internal enum SiloQuestionKind
{
    /// <summary>To which clusters it has links; the answer is their names.</summary>
    Links,

    /// <summary>To take a region in; the answer is empty, or why not yet.</summary>
    Add,

    /// <summary>To take a region out; the answer is empty, or why not yet.</summary>
    Remove,

    /// <summary>How far a region is; the answer is its stage, and what the next step waits for.</summary>
    Stage,
}
