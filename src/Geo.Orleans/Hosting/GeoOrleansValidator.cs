using System.ComponentModel.DataAnnotations;
using Geo.Consistency;
using Geo.Consistency.Lattices;
using Geo.Messaging;
using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>Checks everything that UseGeo was told before the silo starts; the first fault ends the start with one clear error.</summary>
internal sealed class GeoOrleansValidator(IOptions<GeoOrleansOptions> options, GeoSiloBuilder builder) : IConfigurationValidator
{
    public void ValidateConfiguration()
    {
        var settings = options.Value;
        CheckRanges(settings, nameof(GeoOrleansOptions));
        if (settings.Tls is { } tls)
        {
            CheckRanges(tls, nameof(GeoOrleansOptions.Tls));
        }

        CheckRanges(builder.BatchedCas, nameof(BatchedCasOptions));
        CheckRanges(builder.VersionedLeader, nameof(VersionedLeaderOptions));
        CheckRanges(builder.Replicas, nameof(ReplicaExchangeOptions));
        CheckRanges(builder.ReadReplicas, nameof(ReadReplicaOptions));
        CheckRanges(builder.Lattices, nameof(LatticeOptions));
        CheckRanges(builder.Lattices.Limits, nameof(LatticeLimits));
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

    /// <summary>Checks the annotations of an options object.</summary>
    /// <exception cref="GeoConfigurationException">A value is out of range or missing.</exception>
    public static void CheckRanges(object settings, string name)
    {
        var faults = new List<ValidationResult>();
        if (!Validator.TryValidateObject(settings, new ValidationContext(settings), faults, validateAllProperties: true))
        {
            throw new GeoConfigurationException($"{name} does not hold: {string.Join(" ", faults)}");
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
