namespace Geo.Orleans.Tests.Clusters;

/// <summary>Whether the failure runs are to be long, as the figures in docs/orleans.md want it, or short enough for every day.</summary>
internal static class LongRuns
{
    /// <summary>True when the environment says <c>GEO_LONG=1</c>.</summary>
    public static bool Wanted { get; } = Environment.GetEnvironmentVariable("GEO_LONG") == "1";
}
