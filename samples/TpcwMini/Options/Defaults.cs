namespace TpcwMini.Options;

/// <summary>
/// Every default in one place. The load saturates the basic API at the storage account on 2 cores: the account serves
/// <see cref="StoreOps"/> operations a second, the basic API needs two for each order, and <see cref="Robots"/> ask for far more; the
/// warm-up lasts until its queues have grown to their full length. The versioned API needs at most one operation at a time per item whatever the load, so an update waits for at most two of them:
/// <see cref="StoreOps"/> must stay above <see cref="Items"/> x 2 / 1.5 s for them to end in time even when all items are busy.
/// </summary>
internal static class Defaults
{
    public const string Clusters = "us,eu";
    public const int Robots = 6000;
    public const int Seconds = 20;
    public const int Warmup = 10;
    public const double RttMs = 145;
    public const int Items = 1000;
    public const double StoreNearMs = 10;
    public const double StoreFarMs = 145;
    public const int StoreOps = 1500;
    public const int MatrixSeconds = 12;
    public const string ReportFolder = "artifacts/tpcw-mini";

    /// <summary>The paper's rules (GEO section 4.4): not options, because figures under other rules could not be compared.</summary>
    public static readonly TimeSpan ThinkTime = TimeSpan.FromMilliseconds(100);

    /// <summary>A robot starts at most one workflow in this time.</summary>
    public static readonly TimeSpan WorkflowInterval = TimeSpan.FromSeconds(4);

    /// <summary>A step counts only if it ends within this time.</summary>
    public static readonly TimeSpan InTime = TimeSpan.FromSeconds(1.5);

    /// <summary>How long a call may take before it is an error. Long, because a saturated account makes the basic API's calls queue.</summary>
    public static readonly TimeSpan CallTimeout = TimeSpan.FromSeconds(60);

    /// <summary>How long a storage operation may take, its wait in line included, before its outcome is unknown.</summary>
    public static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(30);

    /// <summary>After a kill, calls of the surviving regions that were cut off within this time count as interrupted; later ones are errors.</summary>
    public static readonly TimeSpan KillWindow = TimeSpan.FromSeconds(15);

    /// <summary>How long a child process may take to start or to stop.</summary>
    public static readonly TimeSpan ProcessPatience = TimeSpan.FromSeconds(30);
}
