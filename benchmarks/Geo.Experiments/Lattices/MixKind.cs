namespace Geo.Experiments.Lattices;

/// <summary>What the operations of a <see cref="Mix"/> are.</summary>
internal enum MixKind
{
    /// <summary>Reads and updates of single keys.</summary>
    Plain,

    /// <summary>Reads of what was written last.</summary>
    Latest,

    /// <summary>Reads of keys that follow each other.</summary>
    Scan,

    /// <summary>Updates that read before they write.</summary>
    Modify,
}
