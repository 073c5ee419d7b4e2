namespace Geo.Directory;

/// <summary>What became of a version that was to take the place of another one.</summary>
internal enum DocumentWrite
{
    /// <summary>It has taken its place.</summary>
    Applied,

    /// <summary>Another version has, and it certainly not.</summary>
    Lost,

    /// <summary>Another version stands there, which may have been made from it: no answer came to the write.</summary>
    InDoubt,
}
