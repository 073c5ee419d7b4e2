using System.ComponentModel.DataAnnotations;

namespace Geo.Consistency;

/// <summary>Limits of the read replicas of a silo (<see cref="ReadReplicaAttribute"/>).</summary>
public sealed class ReadReplicaOptions
{
    /// <summary>
    /// How many grains of other clusters have one here at most; 10,000 by default. Reads of further ones go to the instance.
    /// </summary>
    [Range(0, 10_000_000)]
    public int MaxReplicas { get; init; } = 10_000;

    /// <summary>
    /// How long a replica that nobody reads goes on asking for news; 1 min by default, and never less than the bound of its class. Then it
    /// ends, and the next read begins another.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan KeepFor { get; init; } = TimeSpan.FromMinutes(1);
}
