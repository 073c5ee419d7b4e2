namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>One update of an explored history.</summary>
internal readonly record struct ExploredUpdate(long Instance, long Number);
