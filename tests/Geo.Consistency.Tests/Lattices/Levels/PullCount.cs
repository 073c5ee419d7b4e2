using System.Diagnostics.Metrics;

namespace Geo.Consistency.Tests.Lattices.Levels;

/// <summary>How often a replica of the worlds on this thread began to ask another one.</summary>
internal sealed class PullCount : IDisposable
{
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private readonly MeterListener _listener = new();

    internal PullCount()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument == LatticeMetrics.Pulls)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((_, count, _, _) =>
            Value += Environment.CurrentManagedThreadId == _thread ? (int)count : 0);
        _listener.Start();
    }

    internal int Value { get; private set; }

    public void Dispose() => _listener.Dispose();
}
