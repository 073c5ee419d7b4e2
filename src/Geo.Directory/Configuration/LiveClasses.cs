namespace Geo.Directory;

/// <summary>Which grain classes a silo can serve while clusters come and go.</summary>
internal static class LiveClasses
{
    /// <exception cref="GeoConfigurationException">The class is one that it cannot.</exception>
    public static void Check(Type grainClass, GrainDeclaration declaration, string? configurationStore)
    {
        if (configurationStore is not null
            && declaration.Protocol is ViewProtocol.VersionedLeader or ViewProtocol.CoordinationFree)
        {
            throw new GeoConfigurationException(
                $"Grain class {grainClass.FullName} keeps its state in the memory of all clusters, and those of a configuration store "
                + $"('{configurationStore}') come and go, which such classes do not follow yet: leave the ConfigurationStore out, or give "
                + "the class [BatchedCas] and a store.");
        }
    }
}
