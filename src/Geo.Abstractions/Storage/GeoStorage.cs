namespace Geo;

/// <summary>The store names that every host knows.</summary>
public static class GeoStorage
{
    /// <summary>The store used where none is named. On Geo.Embedded it is in memory unless another is added under this name.</summary>
    public const string Default = "Default";

    /// <summary>
    /// No store: a grain's state under this name lives and dies with its activation; reading, writing and clearing it do nothing.
    /// Geo.Embedded has it at once, on Orleans <c>AddVolatileGrainStorage</c> makes it.
    /// </summary>
    public const string Volatile = "Volatile";

    /// <summary>
    /// The store that the clusters keep by majority, in which stands who owns the single-instance grains of the mode
    /// <see cref="SingleInstanceMode.Quorum"/>, unless a setting names another one.
    /// </summary>
    public const string Quorum = "Quorum";
}
