using Geo.Consistency.Lattices;
using Geo.Directory;
using Geo.Messaging;

namespace Geo;

/// <summary>Puts together what the parts of a silo say of themselves, on either host.</summary>
/// <param name="node">The silo's name.</param>
/// <param name="reach">How long other clusters have been out of reach.</param>
/// <param name="directory">The directory of single-instance grains.</param>
/// <param name="cluster">The silo among others of its cluster; null where it is the only one.</param>
/// <param name="lattices">The replicas of coordination-free grains; null where no class is one.</param>
/// <param name="links">The links with other clusters; null where the application has a messenger of its own.</param>
internal sealed class SiloSnapshot(
    string node, ClusterReach reach, GlobalDirectory directory, ClusterSilo? cluster, LatticeReplicas? lattices, MessagingNode? links)
{
    public SiloReport Read()
    {
        var local = directory.Administration.Cluster;
        var all = links?.LinkStatuses ?? [];
        return new()
        {
            Cluster = local,
            Node = node,
            Others =
            [
                .. directory.Configuration.Others(local).OrderBy(other => other.Name, StringComparer.Ordinal).Select(
                    other => new ClusterStatus(
                        other, reach.DownFor(other) ?? TimeSpan.Zero, [.. all.Where(link => link.Cluster == other)])),
            ],
            Doubtful = directory.Doubtful,
            Lease = cluster?.Lease,
            Lags = [.. lattices?.Lags() ?? []],
            CertificateEnds = links?.CertificateEnds,
        };
    }
}
