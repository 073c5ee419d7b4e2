using Microsoft.Extensions.Logging;

namespace Geo.Consistency.Lattices;

/// <summary>The row of a coordination-free grain; all rows of a replica share what is left to itself.</summary>
internal sealed class LatticeRow(
    IConditionalStore store, string key, TimeSpan timeout, AbandonedOperations abandoned, TimeProvider time, ILogger logger)
    : StoredRow(store)
{
    internal override string Key => key;

    protected override TimeSpan Timeout => timeout;

    protected override TimeProvider Time => time;

    protected override ILogger Logger => logger;

    protected override AbandonedOperations? Abandoned => abandoned;

    protected override AbandonedOperations BeginAbandoned() => abandoned;
}
