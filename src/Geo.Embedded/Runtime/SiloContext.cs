using Geo.Consistency;
using Geo.Consistency.Lattices;
using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>What the activations of a silo share.</summary>
internal sealed record SiloContext(
    GeoEmbeddedOptions Options,
    ClusterId Cluster,
    string Node,
    TimeProvider Time,
    SiloSurroundings Around,
    IServiceProvider Services,
    IGeoSerializer Serializer,
    GrainStores Stores,
    ViewServices Views,
    ReplicaExchange Replicas,
    InstanceDirectories Directories,
    IGrainFactory Factory,
    Func<Type, GrainKey, object> References,
    ILogger Logger)
{
    /// <summary>Takes the calls that the silo itself makes.</summary>
    public required ICallSender Calls { get; init; }

    /// <summary>Ends the instance of a grain that another silo of the cluster has.</summary>
    public required Action<GrainKey> Leave { get; init; }

    /// <summary>The time-outs of calls and waits.</summary>
    public required Deadlines Deadlines { get; init; }

    /// <summary>Finds the way of calls whose activation has ended.</summary>
    public required ICallRouter Router { get; init; }

    /// <summary>Whether the silo may serve single-instance grains; null where it is its cluster, and always may.</summary>
    public ILeaseGuard? Guard { get; init; }

    /// <summary>The replicas of the coordination-free grains; null where no class is one.</summary>
    public LatticeReplicas? Lattices { get; init; }

    /// <summary>Lets single-instance grains activate where the silo shares its cluster; null where it does not.</summary>
    public InstanceRegistration? Registration { get; init; }

    /// <summary>Moves instances to where their classes say that they live; null where none says so.</summary>
    public HomeKeeper? Homes { get; init; }

    /// <summary>How long turns of one activation may occupy a thread while others wait, in units of <see cref="Time"/>.</summary>
    public long TurnQuantum { get; } = (long)(Options.TurnQuantum.TotalSeconds * Time.TimestampFrequency);
}
