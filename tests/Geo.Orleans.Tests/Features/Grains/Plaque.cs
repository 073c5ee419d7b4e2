using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features.Grains;

internal sealed class Plaque(IOptions<GeoOrleansOptions> options) : IPlaque
{
    public Task<string> Read(string greeting) => Task.FromResult($"{greeting} {options.Value.ClusterId}");
}
