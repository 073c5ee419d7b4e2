using System.ComponentModel.DataAnnotations;

namespace Geo.Testing.Storage;

/// <summary>
/// How often a <see cref="FaultyConditionalStore"/> fails. All probabilities are 0 by default, and those of a write sum to 1 at most.
/// </summary>
public sealed record StoreFaults
{
    /// <summary>How likely a write or delete is unknown without effect.</summary>
    [Range(0.0, 1.0)]
    public double LostBefore { get; init; }

    /// <summary>How likely a write or delete is unknown and has taken effect, or met its conflict.</summary>
    [Range(0.0, 1.0)]
    public double LostAfter { get; init; }

    /// <summary>
    /// How likely a write or delete is unknown and takes effect only later, if its version is still the present one then.
    /// </summary>
    [Range(0.0, 1.0)]
    public double Delayed { get; init; }

    /// <summary>How likely a read is unknown, or a list fails.</summary>
    [Range(0.0, 1.0)]
    public double ReadLost { get; init; }

    /// <summary>The most that a delayed effect waits; 1 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan MaxDelay { get; init; } = TimeSpan.FromSeconds(1);

    internal void Validate()
    {
        OptionsCheck.Check(
            "The faults of the store", [this],
            LostBefore + LostAfter + Delayed <= 1 ? null : "the probabilities of a write's faults sum to more than 1");
    }
}
