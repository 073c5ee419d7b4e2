namespace Geo.Directory;

/// <summary>How many of the latest calls of a grain a cluster has made, older ones counting less.</summary>
internal readonly record struct CallerCount(ClusterId Cluster, int Calls);
