using System.ComponentModel.DataAnnotations;

namespace Geo.Testing;

/// <summary>How a <see cref="SimulatedStore"/> misbehaves. May be changed while it runs.</summary>
public sealed class SimulatedStoreOptions
{
    /// <summary>The shortest an operation takes; 2 ms by default.</summary>
    public TimeSpan MinDelay { get; set; } = TimeSpan.FromMilliseconds(2);

    /// <summary>The longest an operation takes; 20 ms by default.</summary>
    public TimeSpan MaxDelay { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>The part of operations that never reach the store: unknown, without effect. 0 by default.</summary>
    [Range(0.0, 1.0)]
    public double LostRequests { get; set; }

    /// <summary>The part of operations whose answer is lost: unknown, with effect. 0 by default.</summary>
    [Range(0.0, 1.0)]
    public double LostReplies { get; set; }

    /// <summary>The part of writes and deletes that take effect only after they were reported as unknown; 0 by default.</summary>
    [Range(0.0, 1.0)]
    public double Late { get; set; }

    /// <summary>How long after its report a late operation may still take effect; 3 s by default.</summary>
    public TimeSpan MaxLateness { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>
    /// True while writes and deletes are unknown, without effect, and reads are answered: a store that has become read-only.
    /// </summary>
    public bool LosesWrites { get; set; }

    /// <summary>True while the store cannot be reached: every operation is unknown, without effect.</summary>
    public bool Unreachable { get; set; }

    /// <summary>
    /// True while the store hangs: operations that begin are not answered at all, not even with unknown, until this is false again; then
    /// they end as unknown, some of them after all with effect.
    /// </summary>
    public bool Hangs { get; set; }

    /// <summary>True while an operation goes on waiting although its token is cancelled, as clients of some stores do.</summary>
    public bool IgnoresTokens { get; set; }

    /// <summary>How long a caller waits for an answer that does not come; 500 ms by default.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromMilliseconds(500);
}
