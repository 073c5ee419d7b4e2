namespace Geo.Experiments.Regions;

/// <summary>What a region's process is told by its parent.</summary>
/// <param name="Name">The region.</param>
/// <param name="Number">Of the region, from 0 on.</param>
/// <param name="Others">The other regions, and where each is found; null for those that call this one.</param>
/// <param name="File">The region's part of what all keep by majority.</param>
/// <param name="Account">
/// Where the storage account listens that has the configuration, where regions come and go while all run; null where they do not.
/// </param>
internal sealed record MemberSettings(string Name, int Number, Dictionary<string, string?> Others, string File, string? Account);
