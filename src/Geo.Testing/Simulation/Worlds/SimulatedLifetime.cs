using Microsoft.Extensions.Hosting;

namespace Geo.Testing;

/// <summary>The life of a simulated silo's host, which whatever runs in it may end.</summary>
/// <param name="stops">Called when the host is to stop; at most once.</param>
internal sealed class SimulatedLifetime(Action stops) : IHostApplicationLifetime, IDisposable
{
    private readonly CancellationTokenSource _started = new();
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _stopped = new();

    public CancellationToken ApplicationStarted => _started.Token;

    public CancellationToken ApplicationStopping => _stopping.Token;

    public CancellationToken ApplicationStopped => _stopped.Token;

    /// <summary>True once something in the host has stopped it.</summary>
    public bool HasStoppedItself { get; private set; }

    public void StopApplication()
    {
        if (!_stopping.IsCancellationRequested)
        {
            HasStoppedItself = true;
            _stopping.Cancel();
            stops();
        }
    }

    public void Started() => _started.Cancel();

    public void Stopping() => _stopping.Cancel();

    public void Stopped() => _stopped.Cancel();

    public void Dispose()
    {
        _started.Dispose();
        _stopping.Dispose();
        _stopped.Dispose();
    }
}
