namespace Geo.Embedded;

/// <summary>The store names that every silo knows.</summary>
public static class GeoStorage
{
    /// <summary>The store used where none is named; in memory unless another is added under this name.</summary>
    public const string Default = "Default";

    /// <summary>
    /// No store: a grain's state under this name lives and dies with its activation; reading, writing and clearing it do nothing.
    /// </summary>
    public const string Volatile = "Volatile";
}
