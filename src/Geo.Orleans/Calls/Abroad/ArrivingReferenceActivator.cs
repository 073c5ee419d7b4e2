using Orleans.GrainReferences;

namespace Geo.Orleans;

/// <summary>
/// Makes references of what each cluster has of its own. One that arrives from another cluster, wherever in a message or a stored value it
/// is, becomes one that leads back there: it would otherwise mean another grain, of the same name.
/// </summary>
/// <param name="home">
/// Tells this process's cluster; none in an external client, which does not know it and has a silo bring them home.
/// </param>
/// <param name="atHome">Makes references as Orleans does, to names that hold here.</param>
/// <param name="abroad">Makes a reference to a name that holds in every cluster.</param>
internal sealed class ArrivingReferenceActivator(
    Func<ClusterId> home, IGrainReferenceActivator atHome, Func<GrainId, GrainReference> abroad)
    : IGrainReferenceActivator
{
    public GrainReference CreateReference(GrainId grainId)
    {
        var origin = ArrivingReferences.Origin;
        return origin.IsNone || origin == home() ? atHome.CreateReference(grainId) : abroad(AbroadNames.ToAbroad(origin, grainId));
    }
}
