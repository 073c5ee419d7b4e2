using System.Diagnostics;
using System.Globalization;
using Geo.Experiments.ByteArrays;

namespace Geo.Experiments.Regions;

/// <summary>One of three regions has all the grains and is taken out, while all three call them.</summary>
/// <param name="distances">Between the regions.</param>
/// <param name="grains">How many there are.</param>
/// <param name="callers">How many calls are under way in each region.</param>
/// <param name="logFolder">Where the processes' warnings are kept; null for nowhere.</param>
/// <param name="output">Where the lines go.</param>
internal sealed class DrainExperiment(Distances distances, int grains, int callers, string? logFolder, TextWriter output)
{
    /// <summary>How soon the region has gone.</summary>
    public static readonly TimeSpan GoneWithin = TimeSpan.FromSeconds(60);

    private const string Drained = "asia";
    private const string Outside = "outside";
    private const string HoldsNothing = $"{Outside}, 0 rows";
    private const int AtATime = 500;
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan LookEvery = TimeSpan.FromMilliseconds(250);
    private static readonly string[] Others = [.. Distances.Regions.Where(region => region != Drained)];

    /// <summary>Drains the grains of one mode after those of the other, each time with processes of their own.</summary>
    /// <returns>True when each took no longer than it may, and no call failed.</returns>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        await TellAsync(
            $"three regions as processes, round trips {distances.InWords}; {Environment.ProcessorCount} cores, ",
            $".NET {Environment.Version}, {DateTime.UtcNow:u}");
        var isRight = true;
        foreach (var (mode, grainClass) in ((SingleInstanceMode, Type)[])[
            (SingleInstanceMode.Optimistic, typeof(Resident)), (SingleInstanceMode.Quorum, typeof(MajorityResident))])
        {
            var (time, failures) = await MeasureAsync(mode, grainClass.FullName!, cancellationToken);
            isRight &= time <= GoneWithin && failures == 0;
        }

        await TellAsync($"{(isRight ? "Each" : "NOT each")} within {GoneWithin.TotalSeconds:0} s without a failure.");
        return isRight;
    }

    /// <summary>One drain.</summary>
    /// <returns>How long it took until the region had gone, and how many calls failed.</returns>
    internal async Task<(TimeSpan Time, int Failures)> MeasureAsync(
        SingleInstanceMode mode, string grainClass, CancellationToken cancellationToken)
    {
        await using var regions =
            await ThreeRegions.StartAsync(ExperimentHost.Embedded, distances, isLive: true, logFolder, cancellationToken);
        var began = Stopwatch.GetTimestamp();
        await regions.AskAsync(Drained, new(Fill: new(grainClass, grains, AtATime)), cancellationToken);
        await TellAsync($"{mode}: {grains} grains in {Drained} after {Stopwatch.GetElapsedTime(began).TotalSeconds:0.0} s");
        await regions.AskAllAsync(new(Call: new(grainClass, grains, callers)), cancellationToken);

        (began, var used) = (Stopwatch.GetTimestamp(), regions.ProcessorTime);
        while ((await regions.AskAsync("us", new(Remove: Drained), cancellationToken)).Refusal is { } refusal)
        {
            if (Stopwatch.GetElapsedTime(began) > Patience)
            {
                throw new TimeoutException(refusal);
            }

            await Task.Delay(LookEvery, cancellationToken);
        }

        var (asked, lastSeen, told) = (Stopwatch.GetTimestamp(), 0L, "");
        for (var isGone = false; !isGone;)
        {
            await Task.Delay(LookEvery, cancellationToken);
            var now = Stopwatch.GetTimestamp();
            var stage = (await regions.AskAsync("us", new(Describe: true), cancellationToken)).Stages!.GetValueOrDefault(Drained, Outside);
            lastSeen = stage.StartsWith(Outside, StringComparison.Ordinal) ? lastSeen : now;

            // It counts its rows anew after it has heard that it is outside: until then nothing is told of them.
            isGone = stage == HoldsNothing;
            if (stage != told)
            {
                await TellAsync($"  {Stopwatch.GetElapsedTime(asked).TotalSeconds:0.0} s: {Drained} is {stage}");
                told = stage;
            }

            if (Stopwatch.GetElapsedTime(asked) > Patience)
            {
                throw new TimeoutException($"{Drained} has not gone within {Patience}.");
            }
        }

        var time = Stopwatch.GetElapsedTime(asked);
        var cores = (regions.ProcessorTime - used) / Stopwatch.GetElapsedTime(began);
        var tallies = await regions.AskAllAsync(new(EndCalls: true), cancellationToken);
        var failures = 0;
        foreach (var (region, tally) in tallies.Select(t => (t.Key, t.Value.Tally!)))
        {
            // In the region itself callers are refused once it has gone, which is after it was last seen.
            var failed = tally.Failures.Where(f => Others.Contains(region) || f.Ended < lastSeen).ToArray();
            failures += failed.Length;
            await TellAsync(
                $"  callers in {region}: {tally.Answered} answered, the slowest after {tally.Slowest.TotalSeconds:0.00} s; ",
                $"{failed.Length} failed");
            foreach (var failure in failed.Take(3))
            {
                await TellAsync($"    {Stopwatch.GetElapsedTime(asked, failure.Ended).TotalSeconds:0.0} s: {failure.Why}");
            }
        }

        await TellAsync(
            $"{mode}: {Drained} has gone {time.TotalSeconds:0.0} s after it was asked to, {cores:0.0} cores in use; ",
            $"{failures} calls failed");
        return (time, failures);
    }

    private async Task TellAsync(params FormattableString[] line)
    {
        await output.WriteLineAsync(string.Concat(line.Select(part => part.ToString(CultureInfo.InvariantCulture))));
        await output.FlushAsync();
    }
}
