using System.Globalization;
using Geo.Experiments.Regions;

namespace Geo.Experiments.Tests.Regions;

/// <summary>
/// A region that is drained while all regions call its grains: the command <c>region-drain</c> with fewer of them and shorter ways.
/// </summary>
[Collection(nameof(RegionCutTests))]
public sealed class DrainTests
{
    private const int Grains = 1_000;

    [Theory]
    [InlineData(SingleInstanceMode.Optimistic, typeof(Resident))]
    [InlineData(SingleInstanceMode.Quorum, typeof(MajorityResident))]
    public async Task A_region_that_is_drained_under_load_gives_all_its_grains_up_and_no_call_fails(
        SingleInstanceMode mode, Type grainClass)
    {
        var told = new StringWriter(CultureInfo.InvariantCulture);
        var experiment = new DrainExperiment(new Distances(Scale: 0.1), Grains, callers: 4, logFolder: null, told);
        var (time, failures) = await experiment.MeasureAsync(mode, grainClass.FullName!, TestContext.Current.CancellationToken);
        TestContext.Current.TestOutputHelper?.WriteLine(told.ToString());
        Assert.True(failures == 0, told.ToString());
        Assert.Contains("asia is outside, 0 rows", told.ToString(), StringComparison.Ordinal);
        Assert.True(time < DrainExperiment.GoneWithin, told.ToString());
    }
}
