using Geo.Processes.Stores;

namespace TpcwMini.Options;

/// <summary>What the user asked for, checked. Handed to the child processes as it is.</summary>
internal sealed record RunOptions
{
    /// <summary>The most robots that a run may have.</summary>
    public const int MostRobots = 100_000;

    /// <summary>From so many operations a second on, the storage account has its latency and no limit.</summary>
    public const int NoCap = 1_000_000;

    public required IReadOnlyList<string> Clusters { get; init; }
    public required Variant Variant { get; init; }
    public HostKind Host { get; init; } = HostKind.Embedded;

    /// <summary>What single instances do while another cluster does not answer.</summary>
    public SingleInstanceMode Mode { get; init; }

    /// <summary>Silos in each cluster.</summary>
    public int Silos { get; init; } = 1;

    public int Robots { get; init; } = Defaults.Robots;
    public int Seconds { get; init; } = Defaults.Seconds;
    public int Warmup { get; init; } = Defaults.Warmup;
    public double RttMs { get; init; } = Defaults.RttMs;
    public int Items { get; init; } = Defaults.Items;
    public StoreKind Store { get; init; } = StoreKind.Memory;
    public string? StorePath { get; init; }
    public double StoreNearMs { get; init; } = Defaults.StoreNearMs;
    public double StoreFarMs { get; init; } = Defaults.StoreFarMs;
    public int StoreOps { get; init; } = Defaults.StoreOps;

    /// <summary>Stock of each item at the start; 0 leaves it to <see cref="StockOfEachItem"/>.</summary>
    public int Stock { get; init; }

    public KillPlan? Kill { get; init; }
    public IReadOnlyList<CutPlan> Cuts { get; init; } = [];

    /// <summary>A region that is not in <see cref="Clusters"/> and is taken in while all run.</summary>
    public ChangePlan? Add { get; init; }

    /// <summary>A region that is taken out while all run.</summary>
    public ChangePlan? Drain { get; init; }

    /// <summary>True where regions come or go while all run.</summary>
    public bool IsLive => Add is not null || Drain is not null;

    /// <summary>Those that are there from the beginning, and the one that is added.</summary>
    public IReadOnlyList<string> AllClusters => Add is { } add ? [.. Clusters, add.Cluster] : Clusters;

    /// <summary>Silo number i, counted over all clusters, listens for other clusters on this port plus i; 0 takes free ports.</summary>
    public int Port { get; init; }

    public int Seed { get; init; } = 1;

    /// <summary>The command line that asked for this.</summary>
    public string Command { get; init; } = "";

    /// <summary>
    /// The stock asked for, or slightly less than what the robots ask of an item on average over the whole run, so that about half of
    /// the items are sold out shortly before the end and the promise not to oversell is put to the test.
    /// </summary>
    public int StockOfEachItem()
    {
        if (Stock > 0)
        {
            return Stock;
        }

        var ordersPerRobot = (Warmup + Seconds) / Defaults.WorkflowInterval.TotalSeconds;
        return Math.Max(1, (int)Math.Round(0.95 * Robots * ordersPerRobot / Items));
    }

    /// <summary>The first region that is another one and there from the beginning, or the one that is added.</summary>
    public string OtherThan(string cluster) => AllClusters.First(other => other != cluster);

    /// <summary>The time one storage operation takes from a cluster, there and back, beside its wait for the account's rate.</summary>
    public TimeSpan StoreLatencyOf(string cluster) =>
        TimeSpan.FromMilliseconds(cluster == Clusters[0] ? StoreNearMs : StoreFarMs);
}
