namespace Geo.Directory;

/// <summary>What a host's silo lends to the packages that look after it; among the services of both hosts.</summary>
/// <remarks>Both throw while the silo has not started.</remarks>
internal interface ISiloAccess
{
    /// <summary>What an operator may ask of the directory.</summary>
    IGeoAdministration Administration { get; }

    /// <summary>What an operator may do about the clusters; null without a ConfigurationStore.</summary>
    IGeoConfiguration? Configuration { get; }

    /// <summary>The way to the other clusters.</summary>
    IClusterMessenger Messenger { get; }
}
