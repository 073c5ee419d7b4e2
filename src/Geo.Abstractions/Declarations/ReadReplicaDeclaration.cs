using System.Globalization;

namespace Geo;

/// <summary>What <see cref="ReadReplicaAttribute"/> asks for.</summary>
/// <param name="MaxStaleness">The bound.</param>
/// <param name="OnStale">What becomes of a read beyond the bound.</param>
public sealed record ReadReplicaDeclaration(TimeSpan MaxStaleness, StaleRead OnStale)
{
    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(20);

    private static readonly TimeSpan Most = TimeSpan.FromDays(1);

    /// <summary>Reads an attribute.</summary>
    /// <exception cref="GeoConfigurationException">The bound is none.</exception>
    internal static ReadReplicaDeclaration Of(ReadReplicaAttribute attribute, Type grainClass) =>
        TimeSpan.TryParse(attribute.MaxStaleness, CultureInfo.InvariantCulture, out var bound) && bound >= Least && bound <= Most
            ? new(bound, attribute.OnStale)
            : throw new GeoConfigurationException(
                $"Grain class {grainClass.FullName} has [ReadReplica] with the bound '{attribute.MaxStaleness}'; give it one of "
                + $"{Least.TotalMilliseconds} ms to a day, such as MaxStaleness = \"00:00:05\".");
}
