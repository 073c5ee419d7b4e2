namespace Geo.Directory;

/// <summary>What became of a change of the configuration that an operator asked for.</summary>
/// <param name="Version">The version that was made; null where it was refused.</param>
/// <param name="Message">Why it was refused, or what comes next and what it risks.</param>
public sealed record ConfigurationChange(long? Version, string Message)
{
    /// <summary>True where the change was made.</summary>
    public bool IsMade => Version is not null;
}
