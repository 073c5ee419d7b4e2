namespace Geo.Consistency;

/// <summary>What a view knows of a mark.</summary>
internal enum MarkState
{
    /// <summary>What it shows contains the marked one.</summary>
    Contained,

    /// <summary>It does not show it yet.</summary>
    Behind,

    /// <summary>It is in no version, and never will be.</summary>
    Lost,

    /// <summary>
    /// Of a pending update: whether it became part of a version cannot be found out, unless its instance writes again. Of a version:
    /// whether it was kept nobody will find out any more.
    /// </summary>
    Forgotten,

    /// <summary>Whether it became part of a version nobody will find out any more.</summary>
    Doubtful,
}
