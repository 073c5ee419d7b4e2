using TpcwMini.Options;

namespace TpcwMini.Robots;

/// <summary>All robots of one region, which call its own gateway, or another one's when their region is drained.</summary>
internal sealed class RobotCrowd(RegionRecord record, Func<string, OpenOrder> open, RunOptions options, RunClock clock, RegionWatch watch)
{
    private Task _running = Task.CompletedTask;

    public RegionRecord Record => record;

    /// <summary>Starts this region's share of the robots, their first workflows spread evenly over one workflow interval.</summary>
    public void Start(string runId, CancellationToken stop)
    {
        var region = options.AllClusters.ToList().IndexOf(record.Cluster);
        var count = (options.Robots / options.AllClusters.Count) + (region < options.Robots % options.AllClusters.Count ? 1 : 0);
        var robots = new Task[count];
        for (var i = 0; i < count; i++)
        {
            var name = $"{record.Cluster}-{i}";
            var random = new Random(unchecked((((options.Seed * 31) + region) * 1_000_003) + i));
            var robot = new Robot(name, runId, () => open(name), options.Items, random, clock, watch, record);
            robots[i] = robot.RunAsync(Defaults.WorkflowInterval * ((i + 0.5) / count), stop);
        }

        _running = Task.WhenAll(robots);
    }

    /// <summary>Ends when every robot has brought its last step to an end.</summary>
    public Task QuiesceAsync() => _running;
}
