using Geo.Directory;
using Geo.Messaging;

namespace Geo.Embedded;

/// <summary>The silo of this process, among the host's services.</summary>
public interface IGeoSilo
{
    /// <summary>The silo's cluster.</summary>
    ClusterId Cluster { get; }

    /// <summary>Where other clusters reach it, with the actual port; null before the start and when it does not listen.</summary>
    PeerAddress? ListeningOn { get; }

    /// <summary>Where clients reach it, with the actual port; null before the start and when it has no gateway.</summary>
    PeerAddress? GatewayOn { get; }

    /// <summary>Who has which single-instance grain, and what an operator may do about it.</summary>
    /// <exception cref="GeoUnavailableException">The silo is not started.</exception>
    IGeoAdministration Administration { get; }

    /// <summary>The clusters, and what an operator may do about them; null before the start and without a ConfigurationStore.</summary>
    IGeoConfiguration? Configuration { get; }

    /// <summary>The store that was added under a name, for what its own class offers an operator.</summary>
    /// <exception cref="GeoConfigurationException">No store of that name was added.</exception>
    /// <exception cref="GeoUnavailableException">The silo is not started.</exception>
    IConditionalStore FindStore(string name);

    /// <summary>How many grains are active.</summary>
    int ActivationCount { get; }

    /// <summary>True while a link to another cluster is up, whichever side dialled it; false for an unknown cluster.</summary>
    bool IsLinkedTo(ClusterId cluster);
}
