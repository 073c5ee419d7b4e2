namespace Geo.Orleans;

internal sealed class GeoTouch : IGeoTouch
{
    public Task TouchAsync() => Task.CompletedTask;
}
