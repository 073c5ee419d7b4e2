namespace Geo.Orleans;

/// <summary>
/// What of a <see cref="GeoRedirectException"/> travels; known to every process that references this package, with UseGeo or without.
/// </summary>
[GenerateSerializer]
[Alias("geo.redirect")]
internal struct GeoRedirectSurrogate
{
    [Id(0)]
    public string Cluster;

    [Id(1)]
    public string Grain;
}
