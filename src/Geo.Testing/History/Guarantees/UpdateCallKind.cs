namespace Geo.Testing;

/// <summary>What is asked of an object whose state is a sequence of updates.</summary>
public enum UpdateCallKind
{
    /// <summary>Adds an update.</summary>
    Write,

    /// <summary>Gives the updates that are seen.</summary>
    Read,

    /// <summary>Reads after everything has settled: nothing is written any more, and replicas have heard of everything.</summary>
    FinalRead,
}
