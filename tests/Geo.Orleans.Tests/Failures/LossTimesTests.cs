using System.Diagnostics;
using Geo.Orleans.Tests.Grains;
using Geo.Testing.Wan;

namespace Geo.Orleans.Tests.Failures;

/// <summary>
/// How long grains of a lost cluster are without an answer, with the settings as they are by default, while they are called all the time.
/// </summary>
/// <remarks>Measures, so nothing else of this assembly runs at the same time.</remarks>
[CollectionDefinition(nameof(LossTimesTests), DisableParallelization = true)]
[Collection(nameof(LossTimesTests))]
public sealed class LossTimesTests
{
    private static readonly TimeSpan Promised = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    [Fact]
    public Task A_cluster_that_is_killed() => MeasureAsync("killed", clusters => clusters.KillAsync("eu"));

    [Fact]
    public Task A_cluster_whose_links_break() => MeasureAsync("links broken", clusters => CutAsync(clusters, CutMode.Drop));

    [Fact]
    public Task A_cluster_that_falls_silent() => MeasureAsync("silent", clusters => CutAsync(clusters, CutMode.BlackHole));

    private static async Task MeasureAsync(string how, Func<GeoTestCluster, Task> lose)
    {
        await using var clusters = await GeoTestCluster.StartAsync();
        var keys = Enumerable.Range(0, 10).Select(i => $"{how}-{i}").ToArray();
        foreach (var key in keys)
        {
            await clusters.Grains("eu").GetGrain<ISpot>(key).Where();
            await clusters.Grains("eu").GetGrain<IStrictSpot>(key).Where();
            Assert.Equal("eu", (await clusters.Grains("us").GetGrain<ISpot>(key).Where()).Cluster);
            Assert.Equal("eu", await clusters.Grains("us").GetGrain<IStrictSpot>(key).Where());
        }

        var began = Stopwatch.GetTimestamp();
        var optimistic = keys.Select(
            key => UntilAsync(began, async () => (await clusters.Grains("us").GetGrain<ISpot>(key).Where()).Cluster == "us")).ToArray();
        var pessimistic = keys.Select(
            key => UntilAsync(began, async () => await IsRefusedAsync(clusters.Grains("us").GetGrain<IStrictSpot>(key)))).ToArray();
        await lose(clusters);
        var answered = (await Task.WhenAll(optimistic)).Max();
        var refused = (await Task.WhenAll(pessimistic)).Max();

        // They are refused for as long as it takes, and never answered here.
        Assert.All(await Task.WhenAll(keys.Select(key => IsRefusedAsync(clusters.Grains("us").GetGrain<IStrictSpot>(key)))), Assert.True);
        var line = $"{how}: the last of {keys.Length} optimistic grains answers elsewhere after {answered.TotalSeconds:F1} s, the last of {keys.Length} "
            + $"pessimistic ones is refused after {refused.TotalSeconds:F1} s";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(answered < Promised, line);
        Assert.True(refused < Promised, line);
    }

    private static Task CutAsync(GeoTestCluster clusters, CutMode mode)
    {
        clusters.Cut(mode);
        return Task.CompletedTask;
    }

    private static async Task<bool> IsRefusedAsync(IStrictSpot grain)
    {
        try
        {
            return await grain.Where() == "us" ? throw new InvalidOperationException("a pessimistic grain answered elsewhere") : false;
        }
        catch (GeoUnavailableException)
        {
            return true;
        }
        catch (GeoOutcomeUnknownException)
        {
            return false;
        }
    }

    private static async Task<TimeSpan> UntilAsync(long began, Func<Task<bool>> isSo)
    {
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (true)
        {
            try
            {
                if (await isSo())
                {
                    return Stopwatch.GetElapsedTime(began);
                }
            }
            catch (GeoException) when (!deadline.IsCancellationRequested)
            {
                // Refused, or cut off: that is what is measured.
            }

            await Task.Delay(Pause, deadline.Token);
        }
    }
}
