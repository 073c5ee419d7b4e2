using Orleans.Metadata;
using Orleans.Placement;
using Orleans.Runtime.Placement;
using Orleans.Runtime.Placement.Filtering;

namespace Geo.Orleans;

/// <summary>Knows whether the application's placement filters leave a silo of this cluster for a grain, as Orleans asks them.</summary>
internal sealed class PlacementFilters(
    PlacementFilterStrategyResolver strategies, PlacementFilterDirectorResolver directors, IClusterManifestProvider manifests)
{
    /// <summary>True when they leave none. A class without any is never asked about: Orleans' own placement has the last word.</summary>
    /// <remarks>They are asked without the request context of the call, which is not known where a grain is looked up.</remarks>
    public bool LeaveNone(GrainId grain)
    {
        var filters = strategies.GetPlacementFilterStrategies(grain.Type);
        if (filters.Length == 0)
        {
            return false;
        }

        try
        {
            var target = new PlacementTarget(grain, [], default, 0);
            var silos = manifests.Current.Silos.Where(silo => silo.Value.Grains.ContainsKey(grain.Type)).Select(silo => silo.Key);
            return !filters.Aggregate(silos, (left, filter) => directors.GetFilterDirector(filter).Filter(filter, target, left)).Any();
        }
#pragma warning disable CA1031 // Code of the application, which Orleans asks again, with the call's own context.
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }
}
