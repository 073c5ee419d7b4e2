using System.Text.Json.Serialization;

namespace Geo.Consistency;

/// <summary>What was read of a grain, and how new it is.</summary>
/// <typeparam name="T">What was read.</typeparam>
/// <param name="Value">What was read.</param>
/// <param name="Version">The number of the version, own unconfirmed updates not counted.</param>
/// <param name="Age">
/// Everything that was confirmed so long before the read is in it, by the clock of the instance that read; null where that is not known
/// yet.
/// </param>
/// <param name="Cluster">The cluster that served it.</param>
/// <param name="Session">The session's token from now on.</param>
public sealed record Versioned<T>(
    T Value, long Version, TimeSpan? Age, [property: JsonConverter(typeof(ClusterIdJson))] ClusterId Cluster, SessionToken Session);
