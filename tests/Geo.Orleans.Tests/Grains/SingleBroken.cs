using Orleans.Placement;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance]
[RandomPlacement]
public sealed class SingleBroken(ILocalSiloDetails silo) : AnyBroken(silo);
