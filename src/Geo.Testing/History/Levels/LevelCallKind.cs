namespace Geo.Testing;

/// <summary>What a session did.</summary>
public enum LevelCallKind
{
    /// <summary>It added an update to a grain's set, and wrote it into the grain's register.</summary>
    Write,

    /// <summary>It read both.</summary>
    Read,

    /// <summary>It read both when all updates had come everywhere.</summary>
    FinalRead,
}
