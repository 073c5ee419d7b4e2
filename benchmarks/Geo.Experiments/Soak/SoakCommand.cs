using System.CommandLine;
using Geo.Experiments.Soak.Stores;
using Geo.Processes;
using Geo.Processes.Stores;

namespace Geo.Experiments.Soak;

/// <summary>The command <c>soak</c>: two regions under faults for a long time.</summary>
internal static class SoakCommand
{
    /// <summary>The command's name.</summary>
    public const string Name = "soak";

    /// <summary>How long the end of a run that is stopped may take: starts again, open orders, the comparison of the books.</summary>
    public static readonly TimeSpan EndsWithin = TimeSpan.FromMinutes(15);

    private const int Broken = 1;
    private const double LeastMinutes = 0.1;
    private const double MostMinutes = 7 * 24 * 60;
    private const int MostCustomers = 256;
    private const double MostSecondsToStart = 600;

    public static Command Create()
    {
        var minutes = InRange(
            new Option<double>("--minutes") { Description = "How long on each store.", DefaultValueFactory = _ => 30 },
            LeastMinutes, MostMinutes);
        var seed = new Option<int>("--seed") { Description = "Decides about faults and orders.", DefaultValueFactory = _ => 1 };
        var customers = InRange(
            new Option<int>("--customers") { Description = "How many order.", DefaultValueFactory = _ => 16 },
            1, MostCustomers);
        var store = new Option<SoakStoreKind?>("--store") { Description = "One store; without it one after the other." };
        var startWithin = InRange(
            new Option<double>("--start-within")
            {
                Description = "Seconds until a process that is started again must serve, starts that fail included.",
                DefaultValueFactory = _ => SoakOptions.DefaultStartWithin.TotalSeconds,
            },
            1, MostSecondsToStart);
        var logs = new Option<string>("--logs")
        {
            Description = "Where the processes' texts go, in a folder for each store.",
            DefaultValueFactory = _ => Path.Combine("artifacts", "soak"),
        };
        var command = new Command(
            Name,
            "Two regions as processes sell from one stock while processes are killed and frozen, links cut, the store restarted. Nothing "
            + "may be oversold, no confirmed order lost, and no memory grow. Stopped early, it compares what was ordered until then.")
        {
            minutes,
            seed,
            customers,
            store,
            startWithin,
            logs,
        };
        command.SetAction((parsed, cancellationToken) => RunAsync(
            parsed.GetValue(store),
            kind => new SoakOptions(
                kind, TimeSpan.FromMinutes(parsed.GetValue(minutes)), parsed.GetValue(seed), parsed.GetValue(customers),
                TimeSpan.FromSeconds(parsed.GetValue(startWithin)), parsed.GetValue(logs)!),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        SoakStoreKind? asked, Func<SoakStoreKind, SoakOptions> options, CancellationToken cancellationToken)
    {
        var violations = 0;
        var isClean = true;
        foreach (var kind in asked is { } one ? [one] : Enum.GetValues<SoakStoreKind>())
        {
            if (kind == SoakStoreKind.Postgres && PostgresServer.Absence is { } absence)
            {
                if (asked is not null)
                {
                    throw new ChildFailedException(absence);
                }

                await Console.Out.WriteLineAsync($"left out: {absence}");
                continue;
            }

            var report = await SoakRun.RunAsync(options(kind), Console.Out, cancellationToken);
            isClean &= report.IsClean;
            violations += report.Tally.ViolationCount;
            if (violations == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }
            else if (cancellationToken.IsCancellationRequested)
            {
                break;
            }
        }

        return isClean ? 0 : Broken;
    }

    private static Option<T> InRange<T>(Option<T> option, T least, T most)
        where T : IComparable<T>
    {
        option.Validators.Add(result =>
        {
            if (result.GetValue(option) is { } value && (value.CompareTo(least) < 0 || value.CompareTo(most) > 0))
            {
                result.AddError($"{option.Name} is {value}; give a number from {least} to {most}.");
            }
        });
        return option;
    }
}
