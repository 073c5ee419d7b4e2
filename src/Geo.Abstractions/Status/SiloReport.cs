namespace Geo;

/// <summary>How a silo was at one time, as far as it knew by itself.</summary>
public sealed record SiloReport
{
    /// <summary>The silo's cluster.</summary>
    public required ClusterId Cluster { get; init; }

    /// <summary>The silo's name within its cluster, which no earlier life of it had.</summary>
    public required string Node { get; init; }

    /// <summary>The other clusters of the multi-cluster, by name.</summary>
    public IReadOnlyList<ClusterStatus> Others { get; init; } = [];

    /// <summary>The single-instance grains of the cluster without an established owner that this silo knows of.</summary>
    public DoubtfulStatus Doubtful { get; init; }

    /// <summary>
    /// The lease under which the silo serves single-instance grains; null where the silo is its cluster's only one, which needs none.
    /// </summary>
    public LeaseStatus? Lease { get; init; }

    /// <summary>What other clusters lack of this silo's coordination-free grains; none where they lack nothing.</summary>
    public IReadOnlyList<ReplicationLag> Lags { get; init; } = [];

    /// <summary>When the certificate that this silo shows to others ends; null without TLS.</summary>
    public DateTimeOffset? CertificateEnds { get; init; }
}
