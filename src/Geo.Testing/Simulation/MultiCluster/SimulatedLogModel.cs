using Geo.Consistency;

namespace Geo.Testing;

/// <summary>How the simulated grains' state changes: an update is appended.</summary>
internal sealed class SimulatedLogModel : IViewModel<SimulatedLog, int>
{
    public static SimulatedLogModel Instance { get; } = new();

    public SimulatedLog Create() => new();

    public SimulatedLog Apply(SimulatedLog state, int update)
    {
        state.Updates.Add(update);
        return state;
    }
}
