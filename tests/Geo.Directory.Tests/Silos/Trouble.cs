namespace Geo.Directory.Tests.Silos;

/// <summary>What one silo may have with the store of its cluster's rows.</summary>
public enum Trouble
{
    /// <summary>Nothing arrives: what is asked ends at once as unknown, without effect.</summary>
    Cut,

    /// <summary>Nothing is answered until the trouble ends.</summary>
    Hangs,

    /// <summary>As <see cref="Hangs"/>, and what was asked meanwhile is never answered.</summary>
    HangsForGood,

    /// <summary>Reads alone arrive.</summary>
    LosesWrites,

    /// <summary>Writes take effect at once, and are not heard of.</summary>
    LosesReplies,

    /// <summary>Writes take effect, and are heard of, later than they are waited for.</summary>
    WritesLate,

    /// <summary>Writes arrive when the test lets them.</summary>
    WritesHeld,
}
