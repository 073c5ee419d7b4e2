namespace Geo.Messaging;

/// <summary>How one round of dialling ended.</summary>
internal enum DialOutcome
{
    /// <summary>A link was up for a good while and has ended: dial again soon.</summary>
    Lived,

    /// <summary>Nothing came of it: wait, longer each time, and dial again.</summary>
    Failed,
}
