namespace Geo.Experiments.ByteArrays;

/// <summary>What a region's process is told by its parent.</summary>
/// <param name="Name">The region.</param>
/// <param name="Other">The other one.</param>
/// <param name="OtherAddress">Where that is; null for the region that is called.</param>
/// <param name="RoundTrip">Between the regions.</param>
/// <param name="Account">Where the storage account listens.</param>
/// <param name="Storage">From this region to the account.</param>
internal sealed record RegionSettings(
    string Name, string Other, string? OtherAddress, TimeSpan RoundTrip, string Account, TimeSpan Storage);
