using Geo.Directory;
using Geo.Messaging;

namespace Geo.Orleans;

/// <summary>Geo on the silo of this process, among its services; for health checks and diagnostics.</summary>
public interface IGeoSilo
{
    /// <summary>The name of the silo's cluster within the multi-cluster.</summary>
    ClusterId Cluster { get; }

    /// <summary>Where other clusters reach it, with the actual port; null before the start and when it does not listen.</summary>
    PeerAddress? ListeningOn { get; }

    /// <summary>Who has which single-instance grain, and what an operator may do about it.</summary>
    /// <exception cref="InvalidOperationException">The silo is not started.</exception>
    IGeoAdministration Administration { get; }

    /// <summary>The clusters, and what an operator may do about them; null before the start and without a ConfigurationStore.</summary>
    IGeoConfiguration? Configuration { get; }

    /// <summary>The store that was added under a name, for what its own class offers an operator.</summary>
    /// <exception cref="GeoConfigurationException">No store of that name was added.</exception>
    IConditionalStore FindStore(string name);

    /// <summary>
    /// True while this silo has a link to a silo of another cluster, whichever side dialled it; false for an unknown cluster.
    /// </summary>
    bool IsLinkedTo(ClusterId cluster);
}
