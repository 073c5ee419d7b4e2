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
    /// <summary>
    /// The environment variable by which a test run replays one seed, <c>17</c>, or searches a range of them, <c>1-5000</c>.
    /// </summary>
    public const string EnvironmentVariable = "GEO_SEED";

    /// <summary>The seeds to run: those that <see cref="EnvironmentVariable"/> names, otherwise 1 to <paramref name="count"/>.</summary>
    /// <exception cref="GeoConfigurationException">The variable holds neither a whole number nor a range.</exception>
    public static IReadOnlyList<SimulationSeed> FromEnvironment(int count)
    {
        var text = Environment.GetEnvironmentVariable(EnvironmentVariable);
        if (string.IsNullOrEmpty(text))
        {
            return [.. Enumerable.Range(1, count).Select(seed => new SimulationSeed(seed))];
        }

        var ends = text.Split('-', 2).Select(end =>
            int.TryParse(end, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
                ? value
                : throw new GeoConfigurationException(
                    $"{EnvironmentVariable} is '{text}'; give it the whole number that a failed simulation printed or a range such as "
                    + "1-5000, or remove it.")).ToArray();
        return [.. Enumerable.Range(ends[0], Math.Max(1, ends[^1] - ends[0] + 1)).Select(seed => new SimulationSeed(seed))];
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
