using System.Collections.Immutable;

namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>Updates that an explored instance has queued together.</summary>
/// <param name="Head">Their numbers, and their condition.</param>
/// <param name="Base">Where they are conditional, the very updates that must be below them, which no rule is told.</param>
internal sealed record ExploredGroup(HandInGroup Head, ImmutableArray<ExploredUpdate> Base);
