using Geo.Directory;

namespace Geo.Orleans;

/// <summary>The instances of this cluster as the directory sees them: any silo may run them, and any silo can have them ended.</summary>
internal sealed class ClusterInstances(SiloLiveness liveness, TrackedActivations local, ILocalSiloDetails details, Lazy<GeoSiloServiceClient> silos)
    : ILocalInstances
{
    public bool IsNodeAlive(string node) => liveness.MayRunInstances(GrainNames.ToSilo(node));

    public async ValueTask DeactivateAsync(GrainKey key, string reason)
    {
        var grain = GrainNames.ToGrainId(key);

        // A silo that does not answer fails the whole: the directory then tries again, by when the silo has answered or is dead.
        await Task.WhenAll(liveness.Living.Select(silo =>
            silo.Equals(details.SiloAddress) ? local.DeactivateAsync(grain, reason) : silos.Value.On(silo).DeactivateAsync(grain, reason)));
    }
}
