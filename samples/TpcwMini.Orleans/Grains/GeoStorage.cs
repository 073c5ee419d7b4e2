namespace TpcwMini.Grains;

/// <summary>The grain storages of the sample, by the names that Geo.Embedded gives them.</summary>
internal static class GeoStorage
{
    /// <summary>The storage account.</summary>
    public const string Default = ProviderConstants.DEFAULT_STORAGE_PROVIDER_NAME;

    /// <summary>None: the state ends with the instance.</summary>
    public const string Volatile = "Volatile";
}
