namespace Geo.Administration;

/// <summary>What <see cref="Doctor"/> looks at.</summary>
/// <param name="Silo">What the silo knows by itself.</param>
/// <param name="Stores">What its stores said.</param>
/// <param name="StoreIdentities">Which stores they are.</param>
/// <param name="Others">What the other clusters said.</param>
/// <param name="Version">The silo's version.</param>
/// <param name="Now">The silo's clock.</param>
internal sealed record Seen(
    SiloReport Silo, IReadOnlyList<StoreAnswer> Stores, IReadOnlyDictionary<string, string> StoreIdentities,
    IReadOnlyList<ClusterView> Others, string Version, DateTimeOffset Now);
