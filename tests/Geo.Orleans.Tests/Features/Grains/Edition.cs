using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance]
public sealed class Edition(IOptions<GeoOrleansOptions> options) : Grain, IEdition
{
    public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
}
