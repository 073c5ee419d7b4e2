using Geo.Experiments.Soak.Stores;

namespace Geo.Experiments.Soak;

/// <summary>What a run is asked for.</summary>
/// <param name="Store">What keeps the books.</param>
/// <param name="Length">How long customers order.</param>
/// <param name="Seed">Decides about faults and orders.</param>
/// <param name="Customers">How many order, all regions together.</param>
/// <param name="LogFolder">Where the regions' logs go.</param>
internal sealed record SoakOptions(SoakStoreKind Store, TimeSpan Length, int Seed, int Customers, string LogFolder);
