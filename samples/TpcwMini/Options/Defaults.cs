namespace TpcwMini.Options;

/// <summary>
/// Every default in one place. The load saturates the basic API at the storage account on 2 cores, before the processors: the account
/// serves <see cref="StoreOps"/> operations a second, the basic API needs two for each order, and <see cref="Robots"/> ask for far more.
/// The warm-up lasts until the basic API's queues have grown to their full length.
/// </summary>
/// <remarks>
/// The versioned API has at most one operation under way for each item, whatever the load, and an update waits for at most two of them.
/// With all of <see cref="Items"/> busy that is 2 x Items / StoreOps seconds, so <see cref="StoreOps"/> must be near or above 2 x Items /
/// 1.5 s.
/// </remarks>
internal static class Defaults
{
    public const string Clusters = "us,eu";
    public const int Robots = 8000;

    /// <summary>Where a region is cut off, comes or goes: two processors have enough left for what is to be seen.</summary>
    public const int RegionRobots = 600;
    public const int RegionSeconds = 30;

    public const int Seconds = 20;
    public const int Warmup = 10;
    public const double RttMs = 145;
    public const int Items = 1000;
    public const double StoreNearMs = 10;
    public const double StoreFarMs = 145;
    public const int StoreOps = 1350;
    public const int MatrixSeconds = 12;
    public const int MatrixRobots = 1000;
    public const int MatrixLevels = 12;
    public const int MatrixRepeats = 3;
    public const int MatrixMinutes = 14;
    public const string MatrixFile = "artifacts/tpcw-mini/matrix.jsonl";
    public const string ReportFolder = "artifacts/tpcw-mini";

    /// <summary>The paper's rules (GEO section 4.4): not options, because figures under other rules could not be compared.</summary>
    public static readonly TimeSpan ThinkTime = TimeSpan.FromMilliseconds(100);

    /// <summary>A robot starts at most one workflow in this time.</summary>
    public static readonly TimeSpan WorkflowInterval = TimeSpan.FromSeconds(4);

    /// <summary>A step counts only if it ends within this time.</summary>
    public static readonly TimeSpan InTime = TimeSpan.FromSeconds(1.5);

    /// <summary>
    /// How long a call may take before it is an error. Long, because a saturated account makes the basic API's calls queue.
    /// </summary>
    public static readonly TimeSpan CallTimeout = TimeSpan.FromSeconds(60);

    /// <summary>How long a region's customers may look for its silo at most before they find it back, embedded.</summary>
    public static readonly TimeSpan MaxReconnectDelay = TimeSpan.FromMilliseconds(500);

    /// <summary>How long a storage operation may take, its wait in line included, before its outcome is unknown.</summary>
    public static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(30);

    /// <summary>
    /// After a kill, calls of the surviving regions that were cut off within this time count as interrupted; later ones are errors.
    /// </summary>
    public static readonly TimeSpan KillWindow = TimeSpan.FromSeconds(15);

    /// <summary>
    /// The same on Orleans, where a silo must be found dead and its lease waited for, or its cluster be out of reach for as long as the
    /// option UnreachableAfter says.
    /// </summary>
    public static readonly TimeSpan OrleansKillWindow = TimeSpan.FromSeconds(30);

    /// <summary>
    /// After a cut, and after its end, calls of the other regions that began within this time count as interrupted where they were cut off;
    /// later ones are errors. It is what every mode promises of a region that is lost: a link must be found dead, and with majorities a
    /// lease must run out.
    /// </summary>
    public static readonly TimeSpan CutWindow = TimeSpan.FromSeconds(5);

    /// <summary>The time of a call where a silo or cluster is killed: an Orleans client hears nothing of what it had sent there.</summary>
    public static readonly TimeSpan OrleansKillCallTimeout = TimeSpan.FromSeconds(10);

    /// <summary>How long a child process may take to answer or to stop.</summary>
    public static readonly TimeSpan ProcessPatience = TimeSpan.FromSeconds(30);
}
