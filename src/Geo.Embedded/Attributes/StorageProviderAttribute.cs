namespace Geo.Embedded;

/// <summary>Where the state of a <see cref="Grain{TState}"/> is stored; the default store without it (GEO section 2.1).</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class StorageProviderAttribute : Attribute
{
    /// <summary>The name under which the store was added; <see cref="GeoStorage.Volatile"/> for none.</summary>
    public string ProviderName { get; set; } = GeoStorage.Default;
}
