using Orleans.GrainReferences;

namespace Geo.Orleans;

/// <summary>
/// Makes references of what another cluster knows by a name of its own, and is at home here: Orleans' own, by the name that holds here.
/// </summary>
internal sealed class ReturningReferenceActivator(IGrainReferenceActivator atHome) : IGrainReferenceActivator
{
    public GrainReference CreateReference(GrainId grainId) => atHome.CreateReference(AbroadNames.FromAbroad(grainId).AtHome);
}
