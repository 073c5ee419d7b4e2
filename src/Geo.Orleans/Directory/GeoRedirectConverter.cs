namespace Geo.Orleans;

[RegisterConverter]
internal sealed class GeoRedirectConverter : IConverter<GeoRedirectException, GeoRedirectSurrogate>
{
    public GeoRedirectException ConvertFromSurrogate(in GeoRedirectSurrogate surrogate) =>
        new(new ClusterId(surrogate.Cluster), GrainKey.Parse(surrogate.Grain));

    public GeoRedirectSurrogate ConvertToSurrogate(in GeoRedirectException value) =>
        new() { Cluster = value.Cluster.Name, Grain = value.Grain.ToString() };
}
