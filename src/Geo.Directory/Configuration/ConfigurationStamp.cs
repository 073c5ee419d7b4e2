namespace Geo.Directory;

/// <summary>
/// Which configuration a silo works with, as requests and replies of rounds say it: silos that go by configurations which do not belong
/// together must not decide whose a grain is.
/// </summary>
/// <param name="Version">The version.</param>
/// <param name="Digest">Of the document; 0 where the clusters are those of the settings.</param>
/// <param name="Previous">The digest of the version that it was made from; 0 for the first.</param>
internal readonly record struct ConfigurationStamp(long Version, long Digest, long Previous = 0)
{
    /// <summary>True where the configuration changes while silos run.</summary>
    public bool IsLive => Digest != 0;

    /// <summary>
    /// What stands against a decision of two silos together; null when nothing does. A version fits the one that it was made from, for each
    /// change is made so that they do; one that is two versions behind was passed by, and one of the next number that was made from another
    /// comes from a store that was set back to a backup and changed since.
    /// </summary>
    public string? ConflictWith(ConfigurationStamp other) =>
        SwitchedOff.Is(ProtocolRule.StampsAreCompared) ? null
        : IsLive != other.IsLive ? "one of the two goes by a ConfigurationStore and the other by the clusters in its settings"
        : !IsLive ? null
        : Math.Abs(Version - other.Version) > 1
            ? $"versions {Version} and {other.Version} of the configuration do not work together"
        : Version == other.Version && Digest != other.Digest ? $"there are two versions {Version} of the configuration"
        : Version > other.Version ? ConflictWithNext(other, this)
        : Version < other.Version ? ConflictWithNext(this, other)
        : null;

    public static ConfigurationStamp Read(ref PayloadReader from) => new(from.ReadSigned(), from.ReadSigned(), from.ReadSigned());

    public void Write(PayloadWriter to)
    {
        to.WriteSigned(Version);
        to.WriteSigned(Digest);
        to.WriteSigned(Previous);
    }

    private static string? ConflictWithNext(ConfigurationStamp earlier, ConfigurationStamp later) =>
        later.Previous == earlier.Digest ? null
            : $"version {later.Version} of the configuration was not made from the version {earlier.Version} that the other goes by";
}
