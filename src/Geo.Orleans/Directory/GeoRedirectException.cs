namespace Geo.Orleans;

/// <summary>
/// The grain's instance is in another cluster. Callers with UseGeo follow it and never see it; seen elsewhere it means that the caller's
/// client or silo lacks UseGeo. The call certainly did not run.
/// </summary>
public sealed class GeoRedirectException : GeoException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="cluster">The cluster of the instance.</param>
    /// <param name="grain">The grain.</param>
    public GeoRedirectException(ClusterId cluster, GrainKey grain)
        : base(
            $"Grain '{grain}' lives in cluster '{cluster}'. Call UseGeo() on this caller's client or silo builder so that its calls are "
            + "carried there.")
    {
        Cluster = cluster;
        Grain = grain;
    }

    /// <summary>The cluster of the instance.</summary>
    public ClusterId Cluster { get; }

    /// <summary>The grain.</summary>
    public GrainKey Grain { get; }
}
