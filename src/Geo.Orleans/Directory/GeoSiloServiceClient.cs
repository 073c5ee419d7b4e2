using Orleans.Runtime.Services;

namespace Geo.Orleans;

/// <summary>Reaches the <see cref="IGeoSiloService"/> of one silo.</summary>
internal sealed class GeoSiloServiceClient(IServiceProvider services) : GrainServiceClient<IGeoSiloService>(services)
{
    public IGeoSiloService On(SiloAddress silo) => GetGrainService(silo);
}
