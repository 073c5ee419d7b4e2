using System.Globalization;

namespace TpcwMini.Options;

/// <summary>A region that the others do not hear for a time, nor it them; its customers and the storage account reach it.</summary>
/// <param name="Cluster">Which region.</param>
/// <param name="From">From when, in seconds after the measured time began.</param>
/// <param name="To">Until when.</param>
internal sealed record CutPlan(string Cluster, double From, double To)
{
    private const string Form = "CLUSTER@FROM:TO, for example eu@10:20";

    /// <summary>Reads one cut or several, with commas between.</summary>
    public static IReadOnlyList<CutPlan> ParseAll(string text) => [.. text.Split(',', StringSplitOptions.TrimEntries).Select(Parse)];

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Cluster}@{From}:{To}");

    private static CutPlan Parse(string text) => RegionTimes.Parse("--cut", text, ':', Form) is (var cluster, var from, { } to)
        ? new CutPlan(cluster, from, to)
        : throw RegionTimes.Unreadable("--cut", text, Form);
}
