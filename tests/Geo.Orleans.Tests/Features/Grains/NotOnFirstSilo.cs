using Geo.Orleans.Tests.Features.Placement;

namespace Geo.Orleans.Tests.Features.Grains;

[GlobalSingleInstance, ButTheFirst]
public sealed class NotOnFirstSilo(ILocalSiloDetails silo) : Grain, IChoosy
{
    public Task<string> Where() => Task.FromResult(silo.SiloAddress.ToString());
}
