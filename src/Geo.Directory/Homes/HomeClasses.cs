namespace Geo.Directory;

/// <summary>Which grain classes have a home that there is.</summary>
internal static class HomeClasses
{
    /// <exception cref="GeoConfigurationException">
    /// The preferred cluster of a class is none of the settings. Where clusters come and go while silos run, it may come later.
    /// </exception>
    public static void Check(Type grainClass, GrainDeclaration declaration, IEnumerable<string> clusters, string? configurationStore)
    {
        if (configurationStore is null && declaration.Home is { Policy: HomePolicy.PreferredCluster, Cluster: var home }
            && !clusters.Contains(home.Name, StringComparer.Ordinal))
        {
            throw new GeoConfigurationException(
                $"Grain class {grainClass.FullName} has [Home(\"{home}\")], and no cluster of that name is configured "
                + $"({string.Join(", ", clusters.Distinct().Order(StringComparer.Ordinal))}); name one of these, or configure it.");
        }
    }
}
