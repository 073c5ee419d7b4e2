using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance]
public sealed class Novelty(IOptions<GeoOrleansOptions> options) : Grain, INovelty
{
    public Task<string> Where() => Task.FromResult(options.Value.ClusterId);

    public Task<string> WhereToo() => Where();
}
