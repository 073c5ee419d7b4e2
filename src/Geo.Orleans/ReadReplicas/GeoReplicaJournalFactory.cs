using Geo.Consistency;
using Orleans.EventSourcing;
using Orleans.Storage;

namespace Geo.Orleans;

/// <summary>Makes the journal of a read replica.</summary>
internal sealed class GeoReplicaJournalFactory(GrainKey grain, GeoJournals journals, ReadFeed feed) : ILogViewAdaptorFactory
{
    public bool UsesStorageProvider => false;

    public ILogViewAdaptor<TLogView, TLogEntry> MakeLogViewAdaptor<TLogView, TLogEntry>(
        ILogViewAdaptorHost<TLogView, TLogEntry> hostGrain, TLogView initialState, string grainTypeName, IGrainStorage? grainStorage,
        ILogConsistencyProtocolServices services)
        where TLogView : class, new()
        where TLogEntry : class => GeoJournal<TLogView, TLogEntry>.OfReplica(hostGrain, grain, journals, feed);
}
