using System.CommandLine;
using Geo.Experiments.ByteArrays;
using Geo.Experiments.Processes;

namespace Geo.Experiments.Regions;

/// <summary>
/// The commands <c>region-cut</c>, <c>region-drain</c> and <c>region-writes</c>: three regions as processes that keep by majority who owns
/// what.
/// </summary>
internal static class RegionCommands
{
    private const int Kept = 0;
    private const int Missed = 1;

    public static Command Cut()
    {
        var host = Host();
        var regions = new Option<string[]>("--region")
        {
            Description = "The regions that are cut off, one after the other.",
            DefaultValueFactory = _ => [.. Distances.Regions],
            AllowMultipleArgumentsPerToken = true,
        };
        regions.AcceptOnlyFromAmong([.. Distances.Regions]);
        var keys = new Option<int>("--keys") { Description = "How many keys each region has.", DefaultValueFactory = _ => 10 };
        var seconds = new Option<double>("--seconds") { Description = "How long each cut lasts.", DefaultValueFactory = _ => 15 };
        var (scale, logs) = (Scale(), Logs());
        var command = new Command("region-cut", "One of three regions is cut off under load and comes back; 1 if anything is not kept.")
        {
            host, regions, keys, seconds, scale, logs,
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            if (parsed.GetValue(host) == ExperimentHost.Orleans && OrleansPeer.Assembly is null)
            {
                await Console.Out.WriteLineAsync(OrleansPeer.Absence);
                return Missed;
            }

            var cut = TimeSpan.FromSeconds(parsed.GetValue(seconds));
            var plans = parsed.GetValue(regions)!.Select(region =>
                new CutPlan(region, parsed.GetValue(keys), TimeSpan.FromSeconds(5), cut, CutPlan.BackWithin));
            var experiment =
                new CutExperiment(parsed.GetValue(host), new(parsed.GetValue(scale)), parsed.GetValue(logs), Console.Out);
            return await experiment.RunAsync(plans, cancellationToken) ? Kept : Missed;
        });
        return command;
    }

    public static Command Drain()
    {
        var grains = new Option<int>("--grains") { Description = "How many grains the region has.", DefaultValueFactory = _ => 100_000 };
        var callers =
            new Option<int>("--callers") { Description = "How many calls are under way in each region.", DefaultValueFactory = _ => 8 };
        var (scale, logs) = (Scale(), Logs());
        var command = new Command(
            "region-drain", "One of three regions gives up all its grains under calls; 1 beyond 60 s, or if a call fails.")
        {
            grains, callers, scale, logs,
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var experiment = new DrainExperiment(
                new(parsed.GetValue(scale)), parsed.GetValue(grains), parsed.GetValue(callers), parsed.GetValue(logs), Console.Out);
            return await experiment.RunAsync(cancellationToken) ? Kept : Missed;
        });
        return command;
    }

    public static Command Writes()
    {
        var (host, scale) = (Host(), Scale());
        var samples = new Option<int>("--samples") { Description = "How many updates are timed.", DefaultValueFactory = _ => 1_000 };
        var seconds = new Option<double>("--seconds") { Description = "How long each load lasts.", DefaultValueFactory = _ => 6 };
        samples.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() < 100)
            {
                result.AddError("--samples must be 100 or more: of fewer there is no p99.");
            }
        });
        var command = new Command(
            "region-writes",
            "Strong updates over a store by majority, beside one store 145 ms away; 1 if p99 is 10 ms above that of bare trips.")
        {
            host, scale, samples, seconds,
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var experiment = new WritesExperiment(
                parsed.GetValue(host), new(parsed.GetValue(scale)), parsed.GetValue(samples),
                TimeSpan.FromSeconds(parsed.GetValue(seconds)), Console.Out);
            return await experiment.RunAsync(cancellationToken) ? Kept : Missed;
        });
        return command;
    }

    private static Option<ExperimentHost> Host() =>
        new("--host") { Description = "What runs the silos.", DefaultValueFactory = _ => ExperimentHost.Embedded };

    private static Option<double> Scale() =>
        new("--scale") { Description = "Of the round trips of 80, 150 and 220 ms.", DefaultValueFactory = _ => 1 };

    private static Option<string?> Logs() => new("--logs") { Description = "A folder for the processes' warnings." };
}
