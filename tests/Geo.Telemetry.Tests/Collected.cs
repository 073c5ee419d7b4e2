using System.Collections.Concurrent;
using System.Diagnostics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Geo.Telemetry.Tests;

/// <summary>What OpenTelemetry collects while this lives.</summary>
internal sealed class Collected : IDisposable
{
    private readonly ConcurrentQueue<Activity> _spans = new();
    private readonly List<Point> _points = [];
    private readonly MeterProvider _meters;
    private readonly TracerProvider _tracers;

    public Collected()
    {
        _meters = Sdk.CreateMeterProviderBuilder().AddGeoInstrumentation()
            .AddReader(new BaseExportingMetricReader(new Points(_points))).Build();
        _tracers = Sdk.CreateTracerProviderBuilder().AddGeoInstrumentation().SetSampler(new AlwaysOnSampler())
            .AddProcessor(new SimpleActivityExportProcessor(new Spans(_spans))).Build();
    }

    public IReadOnlyList<Activity> AllSpans => [.. _spans];

    /// <summary>The measurements so far.</summary>
    public IReadOnlyList<Point> Read()
    {
        _meters.ForceFlush();
        lock (_points)
        {
            return [.. _points];
        }
    }

    public void Dispose()
    {
        _meters.Dispose();
        _tracers.Dispose();
    }

    /// <summary>One measured series.</summary>
    public sealed record Point(string Instrument, IReadOnlyDictionary<string, object?> Tags, long Count);

    private sealed class Points(List<Point> into) : BaseExporter<Metric>
    {
        public override ExportResult Export(in Batch<Metric> batch)
        {
            lock (into)
            {
                into.Clear();
                foreach (var metric in batch)
                {
                    foreach (ref readonly var point in metric.GetMetricPoints())
                    {
                        var tags = new Dictionary<string, object?>();
                        foreach (var tag in point.Tags)
                        {
                            tags[tag.Key] = tag.Value;
                        }

                        into.Add(new(metric.Name, tags, metric.MetricType == MetricType.Histogram ? point.GetHistogramCount() : 1));
                    }
                }
            }

            return ExportResult.Success;
        }
    }

    private sealed class Spans(ConcurrentQueue<Activity> into) : BaseExporter<Activity>
    {
        public override ExportResult Export(in Batch<Activity> batch)
        {
            foreach (var span in batch)
            {
                into.Enqueue(span);
            }

            return ExportResult.Success;
        }
    }
}
