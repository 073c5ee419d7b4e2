namespace Geo.Directory;

/// <summary>What a host's silo lends to the packages that look after it; among the services of both hosts.</summary>
/// <remarks>Both throw while the silo has not started.</remarks>
internal interface ISiloAccess
{
    /// <summary>What an operator may ask of the directory.</summary>
    IGeoAdministration Administration { get; }

    /// <summary>What an operator may do about the clusters; null without a ConfigurationStore.</summary>
    IGeoConfiguration? Configuration { get; }

    /// <summary>What has lately become of the single-instance grains of the cluster.</summary>
    MoveHistory Moves { get; }

    /// <summary>The versions of the configuration that the silo has begun to work with; none without a ConfigurationStore.</summary>
    Journal<ConfigurationStep> ConfigurationSteps { get; }

    /// <summary>The stores that the clusters keep together and whose keepers may be changed, by name.</summary>
    IEnumerable<KeyValuePair<string, IKeptStore>> KeptStores { get; }

    /// <summary>The way to the other clusters.</summary>
    IClusterMessenger Messenger { get; }
}
