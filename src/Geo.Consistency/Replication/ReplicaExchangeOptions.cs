using System.ComponentModel.DataAnnotations;

namespace Geo.Consistency;

/// <summary>Limits of what a silo's journaled grains exchange with those of other clusters.</summary>
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

    /// <summary>
    /// How often the other clusters are told again what versions were told them lately; 5 seconds by default. So much longer than a
    /// message takes is an instance behind that missed one notification.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "01:00:00")]
    public TimeSpan DigestInterval { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How many digests hold a version, unless a newer one takes its place; 3 by default.</summary>
    [Range(1, 1_000)]
    public int DigestRepeats { get; init; } = 3;

    /// <summary>
    /// The versions of how many grains a digest holds at most; 100,000 by default. Further ones are told once, and counted.
    /// </summary>
    [Range(1, 10_000_000)]
    public int MaxDigested { get; init; } = 100_000;
}
