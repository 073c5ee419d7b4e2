namespace Geo;

/// <summary>What <see cref="HomeAttribute"/> asks for, where that is more than its first caller's cluster.</summary>
/// <param name="Policy">What decides.</param>
/// <param name="Cluster">The preferred cluster; none where callers decide.</param>
internal sealed record HomeDeclaration(HomePolicy Policy, ClusterId Cluster)
{
    /// <summary>Reads an attribute.</summary>
    /// <exception cref="GeoConfigurationException">It names no cluster, or one that cannot be.</exception>
    public static HomeDeclaration? Of(HomeAttribute attribute, Type grainClass)
    {
        if (attribute.Policy != HomePolicy.PreferredCluster)
        {
            return attribute.Policy == HomePolicy.FollowsCallers ? new(attribute.Policy, default) : null;
        }

        try
        {
            return new(attribute.Policy, new ClusterId(attribute.Cluster ?? ""));
        }
        catch (ArgumentException e)
        {
            throw new GeoConfigurationException(
                $"Grain class {grainClass.FullName} has [Home] and names no cluster that can be: {e.Message} Write [Home(\"eu\")].", e);
        }
    }
}
