namespace Geo.Testing;

/// <summary>
/// A named point in the code of grains (<see cref="SimulationPoint"/>) as a scenario sees it: watched at first; it can hold up whoever
/// comes there, or crash its silo. Get it from <see cref="SimulationWorld.At"/>.
/// </summary>
public sealed class SimulationBarrier
{
    private readonly SimulationWorld _world;
    private TaskCompletionSource<SimulatedSilo?> _next = new();
    private TaskCompletionSource? _gate;
    private int _crashes;

    internal SimulationBarrier(SimulationWorld world, string name) => (_world, Name) = (world, name);

    /// <summary>The name of the point.</summary>
    public string Name { get; }

    /// <summary>How often the point has been reached.</summary>
    public int Count { get; private set; }

    /// <summary>Waits until the point is reached the next time.</summary>
    /// <returns>The silo that reached it; null for code outside of silos.</returns>
    public async Task<SimulatedSilo?> ReachedAsync() => await _next.Task;

    /// <summary>Holds up whoever comes to the point, until <see cref="Release"/>.</summary>
    public void Suspend() => _gate ??= new TaskCompletionSource();

    /// <summary>Lets all go on that were held up, and those that come.</summary>
    public void Release()
    {
        _gate?.TrySetResult();
        _gate = null;
    }

    /// <summary>Crashes the silos that come to the point, as many as are said here.</summary>
    public void CrashNext(int silos = 1) => _crashes = silos;

    internal async Task PassAsync(SimulatedSilo? silo)
    {
        Count++;
        _world.Trace.Note($"{silo?.Name ?? "somebody"} is at '{Name}'");
        var told = _next;
        _next = new TaskCompletionSource<SimulatedSilo?>();
        told.TrySetResult(silo);
        if (_crashes > 0 && silo is not null)
        {
            _crashes--;
            silo.Crash();
        }

        if (_gate is { } gate)
        {
            await gate.Task;
        }
    }
}
