using Orleans.EventSourcing;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>Makes the journal of a grain whose attributes, or whose provider name, ask for one of Geo's protocols.</summary>
internal sealed class GeoJournalFactory(GeoJournals journals, GrainDeclaration? byProviderName = null) : ILogViewAdaptorFactory
{
    /// <summary>
    /// The name for <c>[LogConsistencyProvider(ProviderName = ...)]</c> that selects batching compare-and-swap over the default store.
    /// </summary>
    public const string BatchedCas = "BatchedCas";

    public bool UsesStorageProvider => false;

    public ILogViewAdaptor<TLogView, TLogEntry> MakeLogViewAdaptor<TLogView, TLogEntry>(
        ILogViewAdaptorHost<TLogView, TLogEntry> hostGrain, TLogView initialState, string grainTypeName, IGrainStorage? grainStorage,
        ILogConsistencyProtocolServices services)
        where TLogView : class, new()
        where TLogEntry : class
    {
        var declaration = byProviderName ?? JournalDeclarations.Of(hostGrain.GetType())
            ?? throw new GeoConfigurationException(
                $"Grain class {hostGrain.GetType().FullName} has no attribute of Geo that says how its versions are kept; add "
                + "[BatchedCas] or [OneInstancePerCluster].");
        return new GeoJournal<TLogView, TLogEntry>(hostGrain, declaration, journals, services);
    }
}
