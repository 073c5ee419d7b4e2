using System.Collections.Concurrent;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>Knows which grain types have one instance across all clusters; on silos and clients, on every call.</summary>
internal sealed class GlobalSingleGrains(GrainPropertiesResolver properties)
{
    // Bounded by the number of grain types. A type that is not known yet is not remembered: its silo may still be joining.
    private readonly ConcurrentDictionary<GrainType, SingleInstanceMode?> _modes = new();

    /// <summary>The mode of a single-instance grain type; null for every other type.</summary>
    public SingleInstanceMode? ModeOf(GrainType type) => _modes.TryGetValue(type, out var mode) ? mode : Resolve(type);

    private SingleInstanceMode? Resolve(GrainType type)
    {
        if (!properties.TryGetGrainProperties(type, out var found))
        {
            return null;
        }

        SingleInstanceMode? mode = found.Properties.TryGetValue(GlobalSingleProperties.ModeProperty, out var text)
            && Enum.TryParse<SingleInstanceMode>(text, out var parsed)
            ? parsed
            : null;
        _modes.TryAdd(type, mode);
        return mode;
    }
}
