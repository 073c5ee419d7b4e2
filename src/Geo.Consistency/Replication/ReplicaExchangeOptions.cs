using System.ComponentModel.DataAnnotations;

namespace Geo.Consistency;

/// <summary>Limits of a <see cref="ReplicaExchange"/>.</summary>
public sealed class ReplicaExchangeOptions
{
    /// <summary>
    /// How many requests of other clusters may wait for their grains at a time; 10,000 by default. Further ones are refused at once
    /// and counted; their senders try again.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxWaitingRequests { get; init; } = 10_000;

    /// <summary>
    /// How long a request to another instance waits for its reply, and how long one that came may wait here; 10 seconds by default.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(10);
}
