namespace Geo.Experiments.Regions;

/// <summary>An entry was added.</summary>
[GenerateSerializer]
public sealed record LedgerEntry([property: Id(0)] long Id);
