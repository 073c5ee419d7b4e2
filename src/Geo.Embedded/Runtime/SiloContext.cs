using Geo.Consistency;
using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>What the activations of a silo share.</summary>
internal sealed record SiloContext(
    GeoEmbeddedOptions Options,
    ClusterId Cluster,
    string Node,
    TimeProvider Time,
    IServiceProvider Services,
    IGeoSerializer Serializer,
    GrainStores Stores,
    ViewServices Views,
    ReplicaExchange Replicas,
    GlobalDirectory Directory,
    IGrainFactory Factory,
    Func<Type, GrainKey, object> References,
    ILogger Logger)
{
    /// <summary>Finds the way of calls whose activation has ended.</summary>
    public required ICallRouter Router { get; init; }
}
