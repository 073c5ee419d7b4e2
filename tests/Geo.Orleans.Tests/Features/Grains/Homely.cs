using Orleans.Placement;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance, PreferLocalPlacement]
public sealed class Homely(ILocalSiloDetails silo) : Grain, IHomely
{
    public Task<string> Where() => Task.FromResult(silo.SiloAddress.ToString());
}
