using Geo.Experiments.Soak.Stores;

namespace Geo.Experiments.Soak;

/// <summary>What a region's process is told by its parent.</summary>
/// <param name="Cluster">The region.</param>
/// <param name="Others">The other region, with where it is entered; nowhere for a region that is dialled.</param>
/// <param name="Store">How it reaches the store.</param>
/// <param name="Port">Where it listens for the other region.</param>
/// <param name="GatewayPort">Where it listens for clients.</param>
internal sealed record RegionSettings(
    string Cluster, IReadOnlyDictionary<string, string[]> Others, StoreAddress Store, int Port, int GatewayPort);
