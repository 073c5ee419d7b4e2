using Geo.Directory;
using Geo.Testing.Wan;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Testing;

/// <summary>Which clusters to start, how far apart, and what their silos are like.</summary>
public sealed record GeoTestClusterOptions
{
    /// <summary>The names of the clusters; <c>eu</c> and <c>us</c> by default.</summary>
    public IReadOnlyList<string> Clusters { get; init; } = ["eu", "us"];

    /// <summary>The silos of each cluster; one by default.</summary>
    public int Silos { get; init; } = 1;

    /// <summary>The silos of clusters that have another number of them; none by default.</summary>
    public IReadOnlyDictionary<string, int> SilosIn { get; init; } = new Dictionary<string, int>();

    /// <summary>
    /// True where silos die without a goodbye, which their clusters then notice within some three seconds. False by default: a silo that is
    /// only slow and is declared dead ends the process, and all tests with it.
    /// </summary>
    public bool LosesSilos { get; init; }

    /// <summary>Clusters that no other one can dial; they dial out. None by default.</summary>
    public IReadOnlyList<string> DialOutOnly { get; init; } = [];

    /// <summary>How long a byte is under way between two clusters; zero by default.</summary>
    public TimeSpan OneWayDelay { get; init; }

    /// <summary>
    /// The most bytes under way in one direction of one connection; with a delay this bounds its speed. 16 MiB by default.
    /// </summary>
    public int MaxBytesUnderWay { get; init; } = 16 * 1024 * 1024;

    /// <summary>The lease duration of each silo; 6 s by default.</summary>
    public TimeSpan LeaseDuration { get; init; } = TimeSpan.FromSeconds(6);

    /// <summary>
    /// A link over which nothing came for so long is dead; 30 s by default, ten times what silos have: they share this process with what
    /// carries their links, and one that is only slow must not count as gone. Links that are cut with <see cref="CutMode.Drop"/> end at
    /// once all the same.
    /// </summary>
    public TimeSpan DeadLinkAfter { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>What keeps a cluster's directory rows, under <see cref="GeoTestCluster.RowsOf"/>; memory by default.</summary>
    public Func<string, IConditionalStore> Rows { get; init; } = _ => new InMemoryConditionalStore();

    /// <summary>How long the start waits until every silo has a link with every other cluster; 30 s by default.</summary>
    public TimeSpan LinkTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Changes the settings of each silo.</summary>
    public Action<GeoOrleansOptions> Settings { get; init; } = _ => { };

    /// <summary>Changes the services of each silo, after Geo has added its own.</summary>
    public Action<IServiceCollection> Services { get; init; } = _ => { };

    /// <summary>Changes each silo, before Geo is added to it.</summary>
    public Action<ISiloBuilder> Silo { get; init; } = _ => { };

    /// <summary>Changes what Geo has on each silo.</summary>
    public Action<GeoSiloBuilder> Geo { get; init; } = _ => { };

    /// <summary>Changes the waits of the directory.</summary>
    public Func<GlobalDirectoryOptions, GlobalDirectoryOptions> Directory { get; init; } = options => options;

    /// <summary>Leases and waits with which trouble shows within a second or two.</summary>
    public static GeoTestClusterOptions Impatient { get; } = new()
    {
        LeaseDuration = TimeSpan.FromSeconds(2),
        DeadLinkAfter = TimeSpan.FromSeconds(3),
        Directory = options => options with
        {
            // Silos of several clusters share this process: one that is only slow must not count as gone.
            RequestTimeout = TimeSpan.FromSeconds(1),
            ResendDelay = TimeSpan.FromMilliseconds(100),
            RoundLifetime = TimeSpan.FromSeconds(3),
            ResolveInterval = TimeSpan.FromMilliseconds(200),
        },
    };

    internal int SilosOf(string cluster) => SilosIn.GetValueOrDefault(cluster, Silos);
}
