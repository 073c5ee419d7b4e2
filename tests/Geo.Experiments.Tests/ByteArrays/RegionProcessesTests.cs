using ByteArraySample;
using Geo.Experiments.ByteArrays;
using Geo.Experiments.Processes;

namespace Geo.Experiments.Tests.ByteArrays;

public sealed class RegionProcessesTests
{
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(60);
    private static readonly TimeSpan Load = TimeSpan.FromSeconds(1.5);

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(nameof(ExperimentHost.Embedded))]
    [InlineData(nameof(ExperimentHost.Orleans))]
    public async Task Regions_are_processes_that_are_as_far_from_each_other_as_they_are_told(string name)
    {
        var host = Enum.Parse<ExperimentHost>(name);
        Assert.SkipWhen(host == ExperimentHost.Orleans && OrleansPeer.Assembly is null, OrleansPeer.Absence);
        var prefix = Arrays.Prefix<BasicVolatileArray>();
        await using var regions = await RegionProcesses.StartAsync(host, RoundTrip, TimeSpan.FromMilliseconds(1), Cancelled);

        var first = await regions.StepAsync(isNear: true, new RegionStep(prefix, false, IsUpdate: false, 0, 4), Cancelled);
        var far = await regions.StepAsync(isNear: false, new RegionStep(prefix, false, IsUpdate: true, 0, 4), Cancelled);
        var robots = await Task.WhenAll(((bool[])[true, false]).Select(isNear => regions.LoadAsync(
            isNear, new RegionLoad(prefix, "0", IsLatest: false, Updates: 10, Robots: 4, Load), Cancelled)));

        Assert.All(first, time => Assert.True(time >= RoundTrip.TotalMilliseconds, $"{time} ms"));
        Assert.All(far, time => Assert.True(time >= RoundTrip.TotalMilliseconds, $"{time} ms"));
        Assert.All(robots, answers => Assert.True(answers > 0));
    }
}
