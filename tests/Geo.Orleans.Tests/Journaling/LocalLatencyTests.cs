using System.Diagnostics;
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
        for (var warmUp = 0; warmUp < 10; warmUp++)
        {
            await MeasureAsync(desk);
        }

        // Neighbouring blocks share whatever else the machine is doing; the median of their ratios forgets the pairs that do not.
        var (ratios, reachable, unreachable) = (new List<double>(), new List<double>(), new List<double>());
        for (var pair = 0; pair < Pairs; pair++)
        {
            var unreachableFirst = pair % 2 == 0;
            await SwitchAsync(unreachableFirst);
            var first = await MeasureAsync(desk);
            await SwitchAsync(!unreachableFirst);
            var second = await MeasureAsync(desk);
            var (with, without) = unreachableFirst ? (second, first) : (first, second);
            reachable.Add(with);
            unreachable.Add(without);
            ratios.Add(without / with);
        }

        var ratio = Median(ratios);
        var line = $"{grainClass.Name}: p50 of a local call: {Median(reachable):F2} us reachable, {Median(unreachable):F2} us unreachable, "
            + $"ratio {ratio:F3}";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Assert.True(ratio is > 0.8 and < 1.2, line);
        await SwitchAsync(isUnreachable: false);
        Assert.Equal(2 + (2 * Pairs) + 1, await Eventually.Succeeds(desk.Latest));

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

    private static async Task<double> MeasureAsync(IDesk desk)
    {
        var times = new double[CallsInBlock];
        for (var i = 0; i < CallsInBlock; i++)
        {
            var began = Stopwatch.GetTimestamp();
            await desk.Look();
            times[i] = Stopwatch.GetElapsedTime(began).TotalMicroseconds;
        }

        return Median(times);
    }

    private static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToArray();
        return sorted[sorted.Length / 2];
    }
}
