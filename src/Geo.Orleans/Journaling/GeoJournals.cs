using Geo.Consistency;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Serialization;

namespace Geo.Orleans;

/// <summary>What the journals of this silo's grains share: the services of their views, and the exchange with other clusters.</summary>
internal sealed class GeoJournals(
    GeoSilo silo, GeoSiloBuilder builder, GeoStores stores, Serializer serializer, TimeProvider time, ILoggerFactory loggers,
    IOptions<GeoOrleansOptions> options)
{
    public TimeProvider Time => time;

    public TimeSpan DeactivationConfirmTimeout => options.Value.DeactivationConfirmTimeout;

    public ViewServices Services { get; } = new(new OrleansGeoSerializer(serializer), stores.Named, time, Random.Shared, loggers)
    {
        BatchedCas = builder.BatchedCas,
        VersionedLeader = builder.VersionedLeader,
    };

    public ReplicaExchange Exchange => silo.Replicas.Exchange;
}
