namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>A schedule broke a promise.</summary>
internal sealed class ExploredCasException(string message) : Exception(message);
