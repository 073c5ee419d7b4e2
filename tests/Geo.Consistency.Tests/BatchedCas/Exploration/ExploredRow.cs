using System.Collections.Immutable;

namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>A stored version with the updates that made it.</summary>
internal sealed record ExploredRow(CasRow Row, ImmutableArray<ExploredUpdate> History)
{
    internal static readonly ExploredRow None = new(new(null, 0, AppliedTable.Empty, default), []);
}
