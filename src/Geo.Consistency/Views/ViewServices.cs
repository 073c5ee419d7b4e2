using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>What every view of a process shares; given once by the host.</summary>
/// <param name="Serializer">Writes and reads states and updates.</param>
/// <param name="Stores">Finds the conditional store of a name; null asks for the default one.</param>
/// <param name="Time">The clock and timers.</param>
/// <param name="Random">
/// Back-off jitter and the identities of instances. Must not be seeded alike in two processes, except in a simulation that gives each
/// its own seed; used only from the views' schedulers, so a thread-safe one (<see cref="Random.Shared"/>) is needed where several run in
/// parallel.
/// </param>
/// <param name="Loggers">Makes the loggers.</param>
public sealed record ViewServices(
    IGeoSerializer Serializer, Func<string?, IConditionalStore> Stores, TimeProvider Time, Random Random, ILoggerFactory Loggers)
{
    /// <summary>Limits and times of batching compare-and-swap.</summary>
    public BatchedCasOptions BatchedCas { get; init; } = new();

    /// <summary>Limits and times of the leader-based views.</summary>
    public VersionedLeaderOptions VersionedLeader { get; init; } = new();
}
