namespace Geo;

/// <summary>
/// Named points in the code of grains at which a simulation (package Geo.Testing) may look on, hold a call up or crash its silo. Outside of
/// a simulation reaching one does nothing and allocates nothing.
/// </summary>
public static class SimulationPoint
{
    [ThreadStatic]
    private static Func<string, Task>? _watcher;

    /// <summary>Who is told of the points that the present thread reaches; null for nobody.</summary>
    internal static Func<string, Task>? Watcher
    {
        get => _watcher;
        set => _watcher = value;
    }

    /// <summary>Says that the code has come to a point. Ends at once, unless a simulation holds it up there.</summary>
    /// <param name="name">The point's name, unique enough to be found again, such as <c>order paid</c>.</param>
    public static ValueTask ReachedAsync(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _watcher is { } watcher ? new ValueTask(watcher(name)) : default;
    }
}
