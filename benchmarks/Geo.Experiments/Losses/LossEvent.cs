namespace Geo.Experiments.Losses;

/// <summary>How a region is lost.</summary>
internal enum LossEvent
{
    /// <summary>Its process is killed: nothing is written, nobody is told.</summary>
    Killed,

    /// <summary>Its link breaks, while it lives.</summary>
    LinkBroken,

    /// <summary>All threads of its process stand still, while its connections stay open.</summary>
    Frozen,

    /// <summary>Its link carries nothing any more, without a word.</summary>
    LinkSilent,
}
