using Orleans.Placement;

namespace Geo.Orleans.Tests.Grains;

[RandomPlacement]
public sealed class Broken(ILocalSiloDetails silo) : AnyBroken(silo);
