using System.Globalization;

namespace Geo.Experiments.Regions;

/// <summary>Three regions, and the round trips between them.</summary>
/// <param name="Scale">1 for 80, 150 and 220 ms.</param>
internal sealed record Distances(double Scale = 1)
{
    /// <summary>In the order in which they start; each calls those before it.</summary>
    public static IReadOnlyList<string> Regions { get; } = ["us", "eu", "asia"];

    /// <summary>In words.</summary>
    public string InWords => string.Join(
        ", ",
        from i in Enumerable.Range(0, Regions.Count)
        from j in Enumerable.Range(i + 1, Regions.Count - i - 1)
        select string.Create(
            CultureInfo.InvariantCulture, $"{Regions[i]}-{Regions[j]} {Between(Regions[i], Regions[j]).TotalMilliseconds:0} ms"));

    /// <summary>The round trip between two regions.</summary>
    public TimeSpan Between(string one, string other) => Scale * TimeSpan.FromMilliseconds(
        one != "asia" && other != "asia" ? 80 : one != "eu" && other != "eu" ? 150 : 220);
}
