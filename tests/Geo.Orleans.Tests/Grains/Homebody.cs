using Microsoft.Extensions.Options;
using Orleans.Placement;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance]
[PreferLocalPlacement]
public sealed class Homebody(IOptions<GeoOrleansOptions> options) : Grain, IHomebody
{
    public Task<string> Where() => Task.FromResult(options.Value.ClusterId);

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }
}
