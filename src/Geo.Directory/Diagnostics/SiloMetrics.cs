using System.Diagnostics.Metrics;

namespace Geo.Directory;

/// <summary>What a silo does for its siblings, in the meter "Geo.Directory"; every measurement carries the cluster.</summary>
internal sealed class SiloMetrics : IDisposable
{
    private readonly Meter _meter;
    private readonly Counter<long> _relayRefusals;

    public SiloMetrics(ClusterId cluster)
    {
        _meter = new Meter(new MeterOptions(DirectoryMetrics.MeterName) { Tags = [new("cluster", cluster.Name)] });
        _relayRefusals = _meter.CreateCounter<long>(
            "geo.directory.relay_refusals", "{message}", "Messages of siblings that were not sent on because too much was under way.");
    }

    public void RelayRefused() => _relayRefusals.Add(1);

    public void Dispose() => _meter.Dispose();
}
