namespace Geo.Orleans.Tests.Clusters;

/// <summary>Which clusters to start.</summary>
internal sealed record OrleansClustersOptions
{
    public IReadOnlyList<string> Clusters { get; init; } = ["eu", "us"];

    public int Silos { get; init; } = 1;

    /// <summary>Changes the silos of a cluster.</summary>
    public Action<string, ISiloBuilder>? Configure { get; init; }
}
