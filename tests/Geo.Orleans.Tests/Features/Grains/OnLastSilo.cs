using Geo.Orleans.Tests.Features.Placement;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance, LastSilo]
public sealed class OnLastSilo(ILocalSiloDetails silo) : Grain, IChoosy
{
    public Task<string> Where() => Task.FromResult(silo.SiloAddress.ToString());
}
