namespace Geo;

/// <summary>
/// A conditional store that the clusters keep together by messages: the host lends it its messenger. Before that it answers nothing.
/// </summary>
public interface IClusterStore : IConditionalStore
{
    /// <summary>
    /// The same for all that are set up to keep the same store, so that clusters whose settings differ refuse each other's links.
    /// </summary>
    Guid Identity { get; }

    /// <summary>The clusters that keep it, of which a majority has to answer.</summary>
    IReadOnlyList<ClusterId> Keepers { get; }

    /// <summary>Begins to work with the other clusters, until the returned registration is disposed of.</summary>
    /// <exception cref="GeoConfigurationException">The cluster's part in the store does not fit its settings.</exception>
    IDisposable Join(IClusterMessenger messenger);
}
