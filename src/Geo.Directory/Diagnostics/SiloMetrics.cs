using System.Diagnostics.Metrics;

namespace Geo.Directory;

/// <summary>What silos do for their siblings, in the meter "Geo.Directory"; every measurement carries the cluster.</summary>
internal static class SiloMetrics
{
    private static readonly Meter Meter = new(DirectoryMetrics.MeterName);

    private static readonly Counter<long> RelayRefusals = Meter.CreateCounter<long>(
        "geo.directory.relay_refusals", "{message}", "Messages of siblings that were not sent on because too much was under way.");

    public static void RelayRefused(ClusterId cluster) =>
        RelayRefusals.Add(1, new KeyValuePair<string, object?>("cluster", cluster.Name));
}
