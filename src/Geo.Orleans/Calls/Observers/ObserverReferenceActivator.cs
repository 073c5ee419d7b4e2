using Orleans.GrainReferences;

namespace Geo.Orleans;

/// <summary>
/// Makes references of observers. One that arrives from another cluster, wherever in a message it is, becomes one that leads back there;
/// one that comes home becomes Orleans' own again.
/// </summary>
/// <param name="home">This process's cluster; none in an external client, which does not know it and has a silo bring them home.</param>
/// <param name="atHome">Makes references as Orleans does, to names that hold here.</param>
/// <param name="abroad">Makes references whose calls are carried to the observer's cluster.</param>
internal sealed class ObserverReferenceActivator(ClusterId home, IGrainReferenceActivator atHome, IGrainReferenceActivator abroad)
    : IGrainReferenceActivator
{
    public GrainReference CreateReference(GrainId grainId)
    {
        if (grainId.Type != ObserverNames.Abroad)
        {
            var origin = ArrivingReferences.Origin;
            return origin.IsNone || origin == home ? atHome.CreateReference(grainId) : abroad.CreateReference(ObserverNames.ToAbroad(origin, grainId));
        }

        var (cluster, observer) = ObserverNames.FromAbroad(grainId);
        return cluster == home ? atHome.CreateReference(observer) : abroad.CreateReference(grainId);
    }
}
