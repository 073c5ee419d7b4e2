using System.Globalization;
using System.Text;

namespace Geo.Testing;

/// <summary>
/// The one number that decides all of a simulation. Each part forks its own random numbers from it, so that a part that draws more of
/// them does not change what the others draw.
/// </summary>
/// <param name="Value">The seed.</param>
public readonly record struct SimulationSeed(int Value)
{
    /// <summary>The environment variable by which a test run replays one seed.</summary>
    public const string EnvironmentVariable = "GEO_SEED";

    /// <summary>The seeds to run: the one that <see cref="EnvironmentVariable"/> names, otherwise 1 to <paramref name="count"/>.</summary>
    /// <exception cref="GeoConfigurationException">The variable holds something else than a whole number.</exception>
    public static IReadOnlyList<SimulationSeed> FromEnvironment(int count)
    {
        var text = Environment.GetEnvironmentVariable(EnvironmentVariable);
        if (string.IsNullOrEmpty(text))
        {
            return [.. Enumerable.Range(1, count).Select(seed => new SimulationSeed(seed))];
        }

        return int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value)
            ? [new SimulationSeed(value)]
            : throw new GeoConfigurationException(
                $"{EnvironmentVariable} is '{text}'; give it the whole number that a failed simulation printed, or remove it.");
    }

    /// <summary>Random numbers for one purpose: the same for the same seed and purpose, in every process.</summary>
    public Random Fork(string purpose)
    {
        ArgumentNullException.ThrowIfNull(purpose);
        var (high, _) = StableHash.Hash128(Encoding.UTF8.GetBytes(purpose));
        return new Random(unchecked((int)StableHash.Mix(high ^ StableHash.Mix((ulong)Value))));
    }

    /// <inheritdoc/>
    public override string ToString() => Value.ToString(CultureInfo.InvariantCulture);
}
