namespace Geo.Consistency.Lattices;

/// <summary>What a replica knows of a grain's row in the store of its class.</summary>
internal sealed class CellSave
{
    /// <summary>True when it has changed since it was last written, or the writing of it was begun.</summary>
    internal bool IsChanged { get; set; }

    /// <summary>True while it is being written.</summary>
    internal bool IsWriting { get; set; }

    /// <summary>True while the store may lack something.</summary>
    internal bool IsDirty => IsChanged || IsWriting;

    /// <summary>When to write it, where it has changed.</summary>
    internal TimeSpan DueAt { get; set; }

    /// <summary>How many writes have failed in a row.</summary>
    internal int Failures { get; set; }

    /// <summary>The number of the last update made here that the store has.</summary>
    internal long Through { get; set; }

    /// <summary>The version that the row had when it was last read or written; null where none is known.</summary>
    internal ETag? ETag { get; set; }
}
