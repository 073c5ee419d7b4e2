using System.Text;

namespace Geo.Testing;

/// <summary>What a run of <see cref="LatticeSimulation"/> took.</summary>
/// <param name="Seed">The seed.</param>
/// <param name="Steps">Its steps.</param>
/// <param name="Time">The virtual time.</param>
/// <param name="Contents">The states at its end, for people.</param>
public sealed record LatticeSimulationReport(int Seed, long Steps, TimeSpan Time, string Contents)
{
    /// <summary>The same for the same seed, in every process: 32 hexadecimal digits of the steps, the time and the states.</summary>
    public string Hash
    {
        get
        {
            var (high, low) = StableHash.Hash128(Encoding.UTF8.GetBytes($"{Steps} {Time.Ticks} {Contents}"));
            return $"{high:x16}{low:x16}";
        }
    }
}
