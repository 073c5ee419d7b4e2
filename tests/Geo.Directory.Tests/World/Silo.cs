using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>A silo with a directory and a host of the simplest kind: it keeps a set of instances.</summary>
internal sealed class Silo : ILocalInstances
{
    private readonly World _world;

    public Silo(
        World world, ClusterId cluster, string node, SimulationLane lane, IClusterMessenger messenger, FaultyStore rows, long incarnation,
        int seed)
    {
        (_world, Cluster, Node, Lane, Messenger, Rows, Incarnation) = (world, cluster, node, lane, messenger, rows, incarnation);
        Directory = new GlobalDirectory(
            world.Options, messenger, rows, world.ConfigurationOf(cluster), this, world.Time, new Random(seed), world.Log)
        {
            Serves = _ => ServesAll,
        };
    }

    public ClusterId Cluster { get; }

    public string Node { get; }

    public SimulationLane Lane { get; }

    public IClusterMessenger Messenger { get; }

    public FaultyStore Rows { get; }

    public GlobalDirectory Directory { get; }

    public long Incarnation { get; }

    public HashSet<GrainKey> Instances { get; } = [];

    /// <summary>Those that are about to begin, once their grain is acquired.</summary>
    public List<GrainKey> Beginning { get; } = [];

    /// <summary>False where it leaves the questions of its siblings without an answer.</summary>
    public bool AnswersSiblings { get; set; } = true;

    /// <summary>How many questions of its siblings it is too slow to answer in time.</summary>
    public int TooSlowFor { get; set; }

    /// <summary>How often it was asked.</summary>
    public int Questions { get; private set; }

    /// <summary>False where it has the class of no grain.</summary>
    public bool ServesAll { get; set; } = true;

    /// <summary>Runs while an instance is being deactivated by the directory.</summary>
    public Func<GrainKey, Task> Deactivating { get; set; } = _ => Task.CompletedTask;

    public List<GrainKey> Deactivated { get; } = [];

    public GsiEntry Entry(GrainKey key) => Rows.Entry(key);

    /// <summary>What the silo is told of nodes in place of the truth, at each time that it asks; null for the truth.</summary>
    public Func<string, NodeState?> Hearsay { get; set; } = _ => null;

    public NodeState StateOf(string node) => Hearsay(node) ?? _world.StateOf(Cluster, node);

    public Action Asked { get; set; } = () => { };

    public bool Has(GrainKey key)
    {
        Asked();
        return Instances.Contains(key) || Beginning.Contains(key);
    }

    public async ValueTask<TenancyUse> UsesAsync(
        string node, GrainKey key, long tenancy, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (_world.Find(Cluster, node) is { AnswersSiblings: true } asked && asked.Questions++ >= asked.TooSlowFor)
        {
            return await asked.Directory.UsesAsync(key, tenancy);
        }

        await Task.Delay(timeout, _world.Time, cancellationToken);
        return TenancyUse.Undecided;
    }

    public async ValueTask DeactivateAsync(GrainKey key, string reason)
    {
        await Deactivating(key);
        Instances.Remove(key);
        Deactivated.Add(key);
        await Directory.ReleaseAsync(key, Node);
    }

    /// <summary>A call to a grain: activates it if the directory says here.</summary>
    public async Task<Placement> CallAsync(GrainKey key, SingleInstanceMode mode = SingleInstanceMode.Optimistic)
    {
        Beginning.Add(key);
        try
        {
            var placement = await Directory.AcquireAsync(key, Node, mode, TestContext.Current.CancellationToken);
            if (placement.Kind == PlacementKind.Here && placement.Node == Node)
            {
                Instances.Add(key);
            }

            return placement;
        }
        finally
        {
            Beginning.Remove(key);
        }
    }

    /// <summary>The instance ends, as by idleness.</summary>
    public async Task EndAsync(GrainKey key)
    {
        Instances.Remove(key);
        await Directory.ReleaseAsync(key, Node);
    }
}
