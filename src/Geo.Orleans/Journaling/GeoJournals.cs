using Geo.Consistency;
using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;

namespace Geo.Orleans;

/// <summary>What the journals of this silo's grains share: the services of their views, and the exchange with other clusters.</summary>
internal sealed class GeoJournals(
    GeoSilo silo, GeoLattices lattices, GeoSiloBuilder builder, GeoStores stores, OrleansGeoSerializer serializer, TimeProvider time,
    ILoggerFactory loggers, IOptions<GeoOrleansOptions> options, IOptions<SiloMessagingOptions> messaging)
{
    public TimeProvider Time => time;

    /// <summary>How long a wait for a journal lasts: as long as the calls that Orleans makes.</summary>
    public TimeSpan WaitTimeout => messaging.Value.ResponseTimeout;

    public TimeSpan DeactivationConfirmTimeout => options.Value.DeactivationConfirmTimeout;

    public ViewServices Services { get; } = new(serializer, stores.Named, time, Random.Shared, loggers)
    {
        BatchedCas = builder.BatchedCas,
        VersionedLeader = builder.VersionedLeader,
    };

    /// <summary>The replicas of coordination-free grains.</summary>
    public LatticeReplicas Lattices => lattices.Replicas;

    public ReplicaExchange Exchange => silo.Replicas.Exchange;
}
