using System.ComponentModel.DataAnnotations;

namespace Geo.Directory;

/// <summary>
/// Settings of the ownership of single-instance grains of the mode <see cref="SingleInstanceMode.Quorum"/>. Its bounds that are not named
/// here are those of <see cref="GlobalDirectoryOptions"/>.
/// </summary>
public sealed record QuorumDirectoryOptions
{
    /// <summary>The upper bound of <see cref="LeaseDuration"/>.</summary>
    internal static readonly TimeSpan LongestLease = TimeSpan.FromHours(1);

    /// <summary>
    /// The name of the store that the clusters keep by majority, in which stands who owns what; <see cref="GeoStorage.Quorum"/> by default.
    /// The same in all clusters.
    /// </summary>
    [Required(AllowEmptyStrings = false)]
    public string Store { get; init; } = GeoStorage.Quorum;

    /// <summary>
    /// How long a silo that is cut off from the majority goes on serving its grains; 2 seconds by default. Others take over when they have
    /// seen its lease unchanged for 1.1 times as long. A lease is renewed every third of it, so it must be several times as long as a round
    /// trip to the nearest majority.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "01:00:00")]
    public TimeSpan LeaseDuration { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long the fence of a lease that has run out stays in the store; 1 hour by default.</summary>
    [Range(typeof(TimeSpan), "00:00:10", "7.00:00:00")]
    public TimeSpan FenceRetention { get; init; } = TimeSpan.FromHours(1);
}
