using System.Collections.Concurrent;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>Knows which grain types have one instance across all clusters; on silos and clients, on every call.</summary>
internal sealed class GlobalSingleGrains(GrainPropertiesResolver properties)
{
    // Bounded by the number of grain types. A type that is not known yet is not remembered: its silo may still be joining.
    private readonly ConcurrentDictionary<GrainType, SingleInstanceMode?> _modes = new();

    private readonly ConcurrentDictionary<GrainType, GrainDeclaration?> _homes = new();

    /// <summary>What is known of a single-instance grain type that says where it lives; null for every other type.</summary>
    public GrainDeclaration? HomeOf(GrainType type)
    {
        if (_homes.TryGetValue(type, out var home))
        {
            return home;
        }

        if (!properties.TryGetGrainProperties(type, out var found))
        {
            return null;
        }

        home = !found.Properties.TryGetValue(GlobalSingleProperties.HomeProperty, out var text) ? null
            : new GrainDeclaration(Instancing.GlobalSingle, ModeOf(type) ?? default, ViewProtocol.None, null, default)
            {
                Home = text == GlobalSingleProperties.WithCallers
                    ? new(HomePolicy.FollowsCallers, default)
                    : new(HomePolicy.PreferredCluster, new ClusterId(text)),
            };
        _homes.TryAdd(type, home);
        return home;
    }

    /// <summary>True for a grain type that moves to where its calls come from.</summary>
    public bool FollowsCallers(GrainType type) => HomeOf(type)?.Home is { Policy: HomePolicy.FollowsCallers };

    /// <summary>The mode of a single-instance grain type; null for every other type.</summary>
    public SingleInstanceMode? ModeOf(GrainType type) => TryGetMode(type, out var mode) ? mode : null;

    /// <summary>False when the type is certainly not a single-instance one.</summary>
    public bool MayBeSingle(GrainType type) => !TryGetMode(type, out var mode) || mode is not null;

    /// <summary>True for types of which each cluster has an instance of one and the same grain.</summary>
    public bool HasInstanceInEachCluster(GrainType type) =>
        properties.TryGetGrainProperties(type, out var found) && found.Properties.ContainsKey(GlobalSingleProperties.ReplicatedProperty);

    private bool TryGetMode(GrainType type, out SingleInstanceMode? mode)
    {
        if (_modes.TryGetValue(type, out mode))
        {
            return true;
        }

        if (!properties.TryGetGrainProperties(type, out var found))
        {
            return false;
        }

        mode = found.Properties.TryGetValue(GlobalSingleProperties.ModeProperty, out var text)
            && Enum.TryParse<SingleInstanceMode>(text, out var parsed)
            ? parsed
            : null;
        _modes.TryAdd(type, mode);
        return true;
    }
}
