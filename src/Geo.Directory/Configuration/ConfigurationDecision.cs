namespace Geo.Directory;

/// <summary>What becomes of a change of the configuration.</summary>
/// <param name="Next">The version to put in place of the present one, by compare-and-swap; null where there is none.</param>
/// <param name="Refused">Why there is none; null where there is one, or nothing to do.</param>
internal readonly record struct ConfigurationDecision(ConfigurationDocument? Next, string? Refused = null)
{
    public static ConfigurationDecision Refuse(string reason) => new(null, reason);
}
