namespace Geo.Directory;

/// <summary>Why the bytes of a row are not read, by their first byte: the form in which the build that wrote them writes.</summary>
internal enum UnreadRow
{
    /// <summary>No build has written them so.</summary>
    Damaged,

    /// <summary>An older build has: nobody can put them right, and nothing is wrong with them.</summary>
    Older,

    /// <summary>A newer build has, as after a roll-back: they count, and are not to be written over.</summary>
    Newer,
}
