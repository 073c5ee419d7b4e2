namespace Geo.Testing;

/// <summary>
/// The state of every standard grain: the updates in the order they took effect. Mutable on purpose, as applications' states are.
/// </summary>
internal sealed class SimulatedLog
{
    public List<int> Updates { get; set; } = [];

    public LogPrefix Prefix() => LogPrefix.Of(Updates, Updates.Count);

    public void Apply(LogAppended appended) => Updates.Add(appended.Update);
}
