using System.Text.Json.Serialization;

namespace Geo.Consistency;

/// <summary>What became of an update.</summary>
/// <param name="IsRefused">True when its condition did not hold: it is part of no version, and never will be.</param>
/// <param name="IsConfirmed">True when it is part of a version; false where that was not waited for.</param>
/// <param name="Version">The last version known here, which has it if it is confirmed.</param>
/// <param name="Cluster">The cluster that served it.</param>
/// <param name="Session">The session's token from now on.</param>
public sealed record UpdateOutcome(
    bool IsRefused, bool IsConfirmed, long Version, [property: JsonConverter(typeof(ClusterIdJson))] ClusterId Cluster,
    SessionToken Session);
