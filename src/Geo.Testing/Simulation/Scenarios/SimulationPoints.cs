namespace Geo.Testing;

/// <summary>The named points of a world that scenarios asked for.</summary>
internal sealed class SimulationPoints(SimulationWorld world)
{
    private readonly Dictionary<string, SimulationBarrier> _barriers = new(StringComparer.Ordinal);

    public SimulationBarrier At(string name) =>
        _barriers.TryGetValue(name, out var barrier) ? barrier : _barriers[name] = new SimulationBarrier(world, name);

    /// <summary>Called by whoever comes to a point, in a step of a silo or a client.</summary>
    public Task ReachedAsync(string name)
    {
        if (!_barriers.TryGetValue(name, out var barrier))
        {
            return Task.CompletedTask;
        }

        return barrier.PassAsync(SimulationLane.Running is { } lane && lane.Process.Silo is { } silo && silo.Runs(lane) ? silo : null);
    }
}
