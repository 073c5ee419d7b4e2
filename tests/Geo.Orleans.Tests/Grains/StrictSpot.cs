using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A pessimistic single-instance grain.</summary>
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
public sealed class StrictSpot(IOptions<GeoOrleansOptions> options) : Grain, IStrictSpot
{
    public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
}
