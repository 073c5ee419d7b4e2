namespace Geo;

/// <summary>How many instances of a grain exist across clusters (GEO section 1.1, Fig. 2).</summary>
public enum Instancing
{
    /// <summary>No declaration: an ordinary grain that its own cluster alone knows.</summary>
    ClusterLocal,

    /// <summary>One instance across all clusters.</summary>
    GlobalSingle,

    /// <summary>One instance in every cluster that calls it.</summary>
    OnePerCluster,
}
