namespace Geo;

/// <summary>
/// The grain has one instance across all clusters, in the cluster where it is first called; the other clusters forward their
/// calls to it (GEO section 3.1, global single instance).
/// </summary>
/// <param name="mode">What to do while another cluster does not answer.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class GlobalSingleInstanceAttribute(SingleInstanceMode mode = SingleInstanceMode.Optimistic) : Attribute
{
    /// <summary>What to do while another cluster does not answer; <see cref="SingleInstanceMode.Optimistic"/> by default.</summary>
    public SingleInstanceMode Mode { get; } = mode;
}
