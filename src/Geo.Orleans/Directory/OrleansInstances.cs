using Geo.Directory;

namespace Geo.Orleans;

/// <summary>The activations on this silo, by the names that the directory has for them.</summary>
internal sealed class OrleansInstances(TrackedActivations activations) : IInstanceTable
{
    public bool Has(GrainKey key) => activations.Has(GrainNames.ToGrainId(key));

    public bool TakesCalls(GrainKey key) => activations.TakesCalls(GrainNames.ToGrainId(key));

    public Task DeactivateAsync(GrainKey key, string reason) => activations.DeactivateAsync(GrainNames.ToGrainId(key), reason);

    public Task LoseAsync(GrainKey key, string reason) => activations.LoseAsync(GrainNames.ToGrainId(key), reason);
}
