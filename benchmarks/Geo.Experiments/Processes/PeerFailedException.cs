namespace Geo.Experiments.Processes;

/// <summary>A peer process could not do its part.</summary>
internal sealed class PeerFailedException(string message) : Exception(message);
