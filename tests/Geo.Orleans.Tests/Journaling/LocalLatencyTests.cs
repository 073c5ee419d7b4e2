using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Journaling;

/// <summary>Measures, so nothing else of this assembly runs at the same time.</summary>
[CollectionDefinition(nameof(LocalLatencyTests), DisableParallelization = true)]
[Collection(nameof(LocalLatencyTests))]
public sealed class LocalLatencyTests
{
    private const int Pairs = 30;
    private const int CallsInBlock = 400;

    private static readonly ClusterId Us = new("us");

    [Theory]
    [InlineData(typeof(Desk))]
    [InlineData(typeof(LedDesk))]
    public async Task A_local_call_takes_as_long_when_the_other_region_and_the_store_are_unreachable(Type grainClass)
    {
        await using var clusters = await GeoTestCluster.StartAsync();
        var desk = clusters.Grains("eu").GetGrain<IDesk>("near", grainClass.FullName);
        await desk.Confirm(1);
        await clusters.Grains("us").GetGrain<IDesk>("near", grainClass.FullName).Confirm(1);
        var times = await PairedTimes.MeasureAsync(Pairs, CallsInBlock, SwitchAsync, desk.Look);
        var line = $"{grainClass.Name}, a local call: {times}";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Assert.True(times.P50 is > 0.8 and < 1.2, line);
        await SwitchAsync(isUnreachable: false);
        Assert.Equal(2 + PairedTimes.BlocksFor(Pairs) + 1, await Eventually.Succeeds(desk.Latest));

        // An update before each block, so that while unreachable there is something that waits to be confirmed.
        async Task SwitchAsync(bool isUnreachable)
        {
            clusters.Shared.Unreachable = isUnreachable;
            if (isUnreachable)
            {
                clusters.Cut();
            }
            else
            {
                clusters.Heal();
            }

            var silo = clusters.SilosOf("eu")[0].Services.GetRequiredService<IGeoSilo>();
            await Eventually.Is(!isUnreachable, () => Task.FromResult(silo.IsLinkedTo(Us)));
            await desk.Add(1);
        }
    }
}
