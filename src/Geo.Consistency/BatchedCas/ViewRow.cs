using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>The row of a view's grain. It keeps nothing that the view has.</summary>
internal sealed class ViewRow<TState, TUpdate>(IConditionalStore store, ViewStates<TState, TUpdate> view) : StoredRow(store)
{
    private AbandonedOperations? _abandoned;

    internal override string Key => VersionedViews.StoreKeyPrefix + view.Key;

    protected override TimeSpan Timeout => Options.StorageTimeout;

    protected override TimeProvider Time => view.Services.Time;

    protected override ILogger Logger => view.Logger;

    protected override AbandonedOperations? Abandoned => _abandoned;

    private BatchedCasOptions Options => view.Services.BatchedCas;

    protected override AbandonedOperations BeginAbandoned() => _abandoned ??= new(Options.MaxAbandonedOperations, Time);
}
