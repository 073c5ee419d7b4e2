namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>A schedule broke a promise.</summary>
internal sealed class ExplorationException(string message) : Exception(message);
