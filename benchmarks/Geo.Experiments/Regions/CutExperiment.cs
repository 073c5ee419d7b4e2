using System.Globalization;
using Geo.Experiments.ByteArrays;

namespace Geo.Experiments.Regions;

/// <summary>
/// One of three regions is cut off while all of them write keys of the mode <see cref="SingleInstanceMode.Quorum"/>, and comes back: who
/// serves when, and what is kept.
/// </summary>
/// <param name="host">What runs the silos.</param>
/// <param name="distances">Between the regions.</param>
/// <param name="logFolder">Where the processes' warnings are kept; null for nowhere.</param>
/// <param name="output">Where the lines go.</param>
internal sealed class CutExperiment(ExperimentHost host, Distances distances, string? logFolder, TextWriter output)
{
    private const int Newcomers = 3;
    private static readonly TimeSpan NewcomerEvery = TimeSpan.FromSeconds(1);

    /// <summary>Cuts each region off in turn, each time with processes of their own.</summary>
    /// <returns>True when all was as it should be.</returns>
    public async Task<bool> RunAsync(IEnumerable<CutPlan> plans, CancellationToken cancellationToken)
    {
        await output.WriteLineAsync(string.Create(
            CultureInfo.InvariantCulture,
            $"{host}, three regions as processes, round trips {distances.InWords}; {Environment.ProcessorCount} cores, "
            + $".NET {Environment.Version}, {DateTime.UtcNow:u}"));
        var isRight = true;
        foreach (var plan in plans)
        {
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"{plan.Region} is cut off for {plan.Cut.TotalSeconds:0.#} s; {plan.Ledgers} keys in each region, each written and looked "
                + $"at in all three:"));
            var (lines, faults) = CutJudge.Judge(await MeasureAsync(plan, cancellationToken));
            foreach (var line in lines.Concat(faults.Select(fault => $"WRONG: {fault}")))
            {
                await output.WriteLineAsync($"  {line}");
            }

            await output.FlushAsync(cancellationToken);
            isRight &= faults.Count == 0;
        }

        await output.WriteLineAsync(isRight ? "All as it should be." : "NOT as it should be.");
        return isRight;
    }

    /// <summary>One cut.</summary>
    internal async Task<CutRecord> MeasureAsync(CutPlan plan, CancellationToken cancellationToken)
    {
        await using var regions = await ThreeRegions.StartAsync(host, distances, isLive: false, logFolder, cancellationToken);
        await Task.WhenAll(Distances.Regions.Select(region =>
            regions.AskAsync(region, new(Settle: CutPlan.KeysOf(region, plan.Ledgers)), cancellationToken)));
        await regions.AskAllAsync(new(Begin: [.. plan.Owned]), cancellationToken);
        await Task.Delay(plan.Before, cancellationToken);

        var cutAt = regions.Cut(plan.Region);
        await regions.AskAllAsync(new(Begin: [.. plan.Unused]), cancellationToken);
        for (var i = 0; i < Newcomers; i++)
        {
            // Callers of before wait for the end of what they have under way.
            await Task.Delay(NewcomerEvery, cancellationToken);
            await regions.AskAllAsync(new(Begin: CutPlan.KeysOf(plan.Region, plan.Ledgers)), cancellationToken);
        }

        await Task.Delay(plan.Cut - (Newcomers * NewcomerEvery), cancellationToken);

        var healedAt = regions.Heal(plan.Region);

        // Callers of before may still wait for an end of what they began in the cut: those that come now tell how soon the region serves.
        await regions.AskAsync(plan.Region, new(Begin: [.. plan.Owned, .. plan.Unused, .. plan.Late]), cancellationToken);
        await Task.Delay(plan.After, cancellationToken);

        var told = await regions.AskAllAsync(new(Tell: true), cancellationToken);
        var read = await regions.AskAllAsync(new(Read: [.. plan.Owned, .. plan.Unused, .. plan.Late]), cancellationToken);
        return new(
            plan, cutAt, healedAt, told.ToDictionary(t => t.Key, t => t.Value.Calls!),
            told.ToDictionary(t => t.Key, t => t.Value.Tenancies!), read.ToDictionary(t => t.Key, t => t.Value.Entries!));
    }
}
