using System.Diagnostics;
using System.Net;
using Geo.Testing.Wan;

namespace Geo.Embedded.Tests;

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

    [Theory]
    [InlineData("links broken, as a killed process leaves them", CutMode.Drop)]
    [InlineData("silent", CutMode.BlackHole)]
    public async Task Grains_of_a_lost_cluster_answer_elsewhere_or_are_refused_in_time(string how, CutMode mode)
    {
        static void Configure(GeoEmbeddedBuilder geo) => geo.AddGrain<SingleCounterGrain>().AddGrain<CautiousCounterGrain>();
        await using var us = await TestSilo.StartAsync("us", Configure, [("eu", null)]);
        await using var link = DelayedLink.Start(new DelayedLinkOptions { Target = IPEndPoint.Parse(us.Address) });
        await using var eu = await TestSilo.StartAsync("eu", Configure, [("us", link.ListeningOn.ToString())]);
        await Eventually.HoldsAsync(() => us.Silo.IsLinkedTo(new ClusterId("eu")), "the clusters are linked");
        ICounter[] optimistic =
            [.. Enumerable.Range(0, 10).Select(i => us.Grains.GetGrain<ICounter>($"{i}", typeof(SingleCounterGrain).FullName))];
        ICounter[] pessimistic =
            [.. Enumerable.Range(0, 10).Select(i => us.Grains.GetGrain<ICounter>($"{i}", typeof(CautiousCounterGrain).FullName))];
        for (var i = 0; i < optimistic.Length; i++)
        {
            await eu.Grains.GetGrain<ICounter>($"{i}", typeof(SingleCounterGrain).FullName).Add(1);
            await eu.Grains.GetGrain<ICounter>($"{i}", typeof(CautiousCounterGrain).FullName).Add(1);
            Assert.Equal(("eu", "eu"), (await optimistic[i].Where(), await pessimistic[i].Where()));
        }

        var began = Stopwatch.GetTimestamp();
        var answering = optimistic.Select(grain => UntilAsync(began, async () => await grain.Where() == "us")).ToArray();
        var refusing = pessimistic.Select(grain => UntilAsync(began, () => IsRefusedAsync(grain))).ToArray();
        link.Cut(mode);
        var answered = (await Task.WhenAll(answering)).Max();
        var refused = (await Task.WhenAll(refusing)).Max();

        Assert.All(await Task.WhenAll(pessimistic.Select(IsRefusedAsync)), Assert.True);
        var line =
            $"{how}: the last of {optimistic.Length} optimistic grains answers elsewhere after {answered.TotalSeconds:F1} s, the last of "
            + $"{pessimistic.Length} pessimistic ones is refused after {refused.TotalSeconds:F1} s";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        Console.WriteLine(line);
        Assert.True(answered < Promised, line);
        Assert.True(refused < Promised, line);
    }

    private static async Task<bool> IsRefusedAsync(ICounter grain)
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
