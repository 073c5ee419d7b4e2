using Geo.Experiments.ByteArrays;
using Geo.Experiments.Processes;
using Geo.Experiments.Regions;

namespace Geo.Experiments.Tests.Regions;

/// <summary>
/// Three regions as processes, of which one is cut off under load and comes back, on both hosts: the command <c>region-cut</c> with shorter
/// ways and times.
/// </summary>
/// <remarks>Measures, so nothing else of this assembly runs at the same time.</remarks>
[CollectionDefinition(nameof(RegionCutTests), DisableParallelization = true)]
[Collection(nameof(RegionCutTests))]
public sealed class RegionCutTests
{
    private static readonly Distances Near = new(Scale: 0.25);

    [Theory]
    [InlineData(nameof(ExperimentHost.Embedded), "us")]
    [InlineData(nameof(ExperimentHost.Orleans), "asia")]
    public async Task A_region_that_is_cut_off_serves_nobody_and_is_missed_by_nobody_and_comes_back(string name, string region)
    {
        var host = Enum.Parse<ExperimentHost>(name);
        Assert.SkipWhen(host == ExperimentHost.Orleans && OrleansPeer.Assembly is null, OrleansPeer.Absence);
        var plan = new CutPlan(
            region, Ledgers: 3, Before: TimeSpan.FromSeconds(2), Cut: TimeSpan.FromSeconds(9), After: TimeSpan.FromSeconds(6))
        {
            // A cut is noticed after 3 s at the earliest, which leaves a machine that is busy with other tests little of the five seconds
            // that the command holds it to.
            WritableWithin = TimeSpan.FromSeconds(8),
        };
        var record = await new CutExperiment(host, Near, logFolder: null, TextWriter.Null)
            .MeasureAsync(plan, TestContext.Current.CancellationToken);

        var (lines, faults) = CutJudge.Judge(record);
        foreach (var line in lines)
        {
            TestContext.Current.TestOutputHelper?.WriteLine(line);
        }

        Assert.True(faults.Count == 0, string.Join(Environment.NewLine, faults));
    }
}
