namespace Geo.Experiments.Regions;

/// <summary>When an instance began its first call, and when its last one.</summary>
internal sealed record Tenancy(string Key, long Epoch, long First, long Last);
