using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.Options;
using Orleans.EventSourcing;

namespace Geo.Orleans.Tests.Features.Grains;

[OneInstancePerCluster, VersionedLeader]
public sealed class Everywhere(IOptions<GeoOrleansOptions> options) : JournaledGrain<TallyState, Added>, IEverywhere
{
    public Task<string> Where() => Task.FromResult(options.Value.ClusterId);
}
