using System.Diagnostics.Metrics;

namespace Geo.Orleans.Tests.Storage;

/// <summary>What is counted of a grain storage that does not end its operations.</summary>
internal sealed class StorageCounts : IDisposable
{
    private readonly MeterListener _meters = new();
    private long _boundsHit;
    private long _refusals;

    public StorageCounts(string storage)
    {
        _meters.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Name is "geo.orleans.storage_bounds_hit" or "geo.orleans.storage_refusals")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _meters.SetMeasurementEventCallback<long>((instrument, count, tags, _) =>
        {
            if (tags.Length == 1 && Equals(tags[0].Value, storage))
            {
                Interlocked.Add(ref instrument.Name == "geo.orleans.storage_refusals" ? ref _refusals : ref _boundsHit, count);
            }
        });
        _meters.Start();
    }

    public long BoundsHit => Interlocked.Read(ref _boundsHit);

    public long Refusals => Interlocked.Read(ref _refusals);

    public void Dispose() => _meters.Dispose();
}
