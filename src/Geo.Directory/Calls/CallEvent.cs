namespace Geo.Directory;

/// <summary>Something that happened to a call that is on its way.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Cluster">The other cluster, for <see cref="CallEventKind.FoundElsewhere"/>.</param>
internal readonly record struct CallEvent(CallEventKind Kind, ClusterId Cluster = default)
{
    /// <summary>The instance is in another cluster.</summary>
    public static CallEvent FoundElsewhere(ClusterId cluster) => new(CallEventKind.FoundElsewhere, cluster);

    public static implicit operator CallEvent(CallEventKind kind) => new(kind);
}
