using System.Diagnostics.Metrics;
using Geo.Testing;
using Geo.Testing.Overlays;

namespace Geo.Messaging.Overlays.Tests;

[Collection(ProcessWide.Name)]
public sealed class OverlayMetricsTests
{
    private readonly List<(string Name, long Value, Dictionary<string, object?> Tags)> _measured = [];

    [Fact]
    public async Task An_overlays_counts_are_metrics()
    {
        using var listening = Listen();
        await using var world = new SimulatedOverlayWorld(new SimulationSeed(1));
        var node = world.Start("us/1", new OverlayOptions { Overlay = "hyparview" });
        var other = world.Start("b", new OverlayOptions { Overlay = "hyparview" });
        other.Join(world.AddressOf(node));
        world.Time.Advance(TimeSpan.FromSeconds(5));
        Assert.True(node.TryBroadcast(new byte[1]));
        world.Time.Advance(TimeSpan.FromSeconds(5));

        listening.RecordObservableInstruments();

        Assert.Equal((2, 1), (Of("geo.overlay.members").Last().Value, Of("geo.overlay.neighbours").Last().Value));
        Assert.Equal(1, Of("geo.overlay.delivered").Last().Value);
        Assert.Equal(1, Of("geo.overlay.sent").Single(m => Equals(m.Tags["geo.frame"], "payload")).Value);
        Assert.Equal(9, Of("geo.overlay.dropped").Select(m => m.Tags["geo.reason"]).Distinct().Count());
        Assert.All(Of("geo.overlay.dropped"), m => Assert.Equal("hyparview", m.Tags["geo.overlay"]));
    }

    private IEnumerable<(string Name, long Value, Dictionary<string, object?> Tags)> Of(string name) =>
        _measured.Where(m => m.Name == name && Equals(m.Tags["geo.peer"], "us/1"));

    private MeterListener Listen()
    {
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == OverlayMetrics.MeterName)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
            _measured.Add((instrument.Name, value, tags.ToArray().ToDictionary(tag => tag.Key, tag => tag.Value))));
        listener.Start();
        return listener;
    }
}
