using Geo.Directory;

namespace Geo.Orleans.Tests.Clusters;

/// <summary>Which clusters to start, and how far apart.</summary>
internal sealed record OrleansClustersOptions
{
    public IReadOnlyList<string> Clusters { get; init; } = ["eu", "us"];

    public int Silos { get; init; } = 1;

    public TimeSpan OneWayDelay { get; init; }

    public TimeSpan LeaseDuration { get; init; } = TimeSpan.FromSeconds(6);

    /// <summary>Changes the waits of the directory.</summary>
    public Func<GlobalDirectoryOptions, GlobalDirectoryOptions> Directory { get; init; } = options => options;
}
