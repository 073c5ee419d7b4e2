namespace Geo.Administration;

/// <summary>What a silo tells those of other clusters of itself.</summary>
internal sealed record ClusterSummary
{
    /// <summary>True when a sound silo may have said it; the reader sees to what must not be null.</summary>
    public bool IsWhole =>
        UtcTicks >= 0 && UtcTicks <= DateTime.MaxValue.Ticks && RoundTripsMs.Values.All(double.IsFinite)
        && !Reaches.Contains(null!) && !StoreIdentities.Values.Contains(null!);

    /// <summary>The silo.</summary>
    public required string Node { get; init; }

    /// <summary>The version of Geo that it runs.</summary>
    public required string Version { get; init; }

    /// <summary>Its clock when it was asked, in ticks of UTC.</summary>
    public long UtcTicks { get; init; }

    /// <summary>When its certificate ends; null without TLS.</summary>
    public DateTimeOffset? CertificateEnds { get; init; }

    /// <summary>The other clusters that are in its reach.</summary>
    public IReadOnlyList<string> Reaches { get; init; } = [];

    /// <summary>The shortest of the last round trips to each other cluster, in milliseconds.</summary>
    public IReadOnlyDictionary<string, double> RoundTripsMs { get; init; } = new Dictionary<string, double>();

    /// <summary>The identities of its stores by name, where they have one.</summary>
    public IReadOnlyDictionary<string, string> StoreIdentities { get; init; } = new Dictionary<string, string>();
}
