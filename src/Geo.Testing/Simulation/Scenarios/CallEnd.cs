namespace Geo.Testing;

/// <summary>The three outcomes of a call.</summary>
public enum CallEnd
{
    /// <summary>It ran, once, and its caller knows.</summary>
    Answered,

    /// <summary>It did not run, or what it did was not stored, and its caller knows.</summary>
    Failed,

    /// <summary>It ran, or will yet run, once or not at all.</summary>
    Unknown,
}
