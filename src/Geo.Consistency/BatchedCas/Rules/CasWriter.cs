namespace Geo.Consistency;

/// <summary>Who wrote a version.</summary>
/// <param name="Cluster">The cluster, for who wants to reach it.</param>
/// <param name="Instance">The instance; 0 for nobody.</param>
internal readonly record struct CasWriter(ClusterId Cluster, long Instance)
{
    internal bool IsNone => Instance == 0;
}
