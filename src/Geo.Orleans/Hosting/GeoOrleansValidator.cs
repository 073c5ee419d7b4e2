using Geo.Consistency;
using Geo.Consistency.Lattices;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>Checks everything that UseGeo was told before the silo starts; the first fault ends the start with one clear error.</summary>
internal sealed class GeoOrleansValidator(IOptions<GeoOrleansOptions> options, GeoSiloBuilder builder) : IConfigurationValidator
{
    public void ValidateConfiguration()
    {
        var settings = options.Value;
        OptionsCheck.Check($"The settings in '{GeoOrleansOptions.Section}'", [settings, settings.Tls]);
        OptionsCheck.Check(nameof(QuorumDirectoryOptions), [builder.Quorum]);
        OptionsCheck.Check(nameof(BatchedCasOptions), [builder.BatchedCas]);
        OptionsCheck.Check(nameof(VersionedLeaderOptions), [builder.VersionedLeader]);
        OptionsCheck.Check(nameof(ReplicaExchangeOptions), [builder.Replicas]);
        OptionsCheck.Check(nameof(ReadReplicaOptions), [builder.ReadReplicas]);
        OptionsCheck.Check(nameof(LatticeOptions), [builder.Lattices, builder.Lattices.Limits]);
        if (builder.Lattices.HotRate > 0)
        {
            throw new GeoConfigurationException(
                $"{nameof(LatticeOptions)}:{nameof(LatticeOptions.HotRate)} is set, which Geo.Orleans does not follow yet: a grain is "
                + "placed by Orleans on any silo of the cluster, which may have no replica. Remove it, or raise Replicas of the class.");
        }

        CheckCluster(settings.ClusterId, "ClusterId");
        CheckAddress(settings.ListenOn, "ListenOn");
        foreach (var (cluster, addresses) in settings.Clusters)
        {
            CheckCluster(cluster, "Clusters");
            foreach (var address in addresses)
            {
                CheckAddress(address, $"Clusters:{cluster}");
            }
        }

        if (builder.Directory.TakeoverTimeout <= settings.LeaseDuration * 2.2)
        {
            throw new GeoConfigurationException(
                $"TakeoverTimeout of the directory ({builder.Directory.TakeoverTimeout}) must be longer than two LeaseDuration "
                + $"({settings.LeaseDuration}) and a tenth, or the "
                + "grains of a dead silo cannot be taken over.");
        }

        if (builder.RowStore is null)
        {
            throw new GeoConfigurationException(
                "UseGeo was given no store for the directory's rows; call UseRowStore, with one store for all silos of this cluster.");
        }
    }

    private static void CheckCluster(string name, string setting)
    {
        try
        {
            _ = new ClusterId(name);
        }
        catch (ArgumentException e)
        {
            throw new GeoConfigurationException($"The setting {setting} of Geo does not hold: {e.Message}", e);
        }
    }

    private static void CheckAddress(string? address, string setting)
    {
        try
        {
            _ = address is null ? null : PeerAddress.Parse(address);
        }
        catch (FormatException e)
        {
            throw new GeoConfigurationException($"The setting {setting} of Geo does not hold: {e.Message}", e);
        }
    }
}
