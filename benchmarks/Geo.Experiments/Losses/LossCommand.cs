using System.CommandLine;
using Geo.Experiments.ByteArrays;
using Geo.Experiments.Processes;

namespace Geo.Experiments.Losses;

/// <summary>The command <c>loss-times</c>.</summary>
internal static class LossCommand
{
    private const int Kept = 0;
    private const int Missed = 1;

    public static Command Create()
    {
        var grains =
            new Option<int>("--grains") { Description = "How many grains of each mode there are.", DefaultValueFactory = _ => 100 };
        var runs = new Option<int>("--runs") { Description = "How often each event is measured.", DefaultValueFactory = _ => 3 };
        var roundTrip =
            new Option<double>("--rtt") { Description = "The round trip between the regions, in ms.", DefaultValueFactory = _ => 145 };
        var command = new Command(
            "loss-times", "How long grains of a lost region are without an answer, by mode and event, on both hosts; 1 beyond 5 s.")
        {
            grains, runs, roundTrip,
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            ExperimentHost[] hosts =
                OrleansPeer.Assembly is null ? [ExperimentHost.Embedded] : [ExperimentHost.Embedded, ExperimentHost.Orleans];
            if (hosts.Length == 1)
            {
                await Console.Out.WriteLineAsync(OrleansPeer.Absence);
            }

            var experiment = new LossExperiment(
                hosts, TimeSpan.FromMilliseconds(parsed.GetValue(roundTrip)), parsed.GetValue(grains), parsed.GetValue(runs), Console.Out);
            return await experiment.RunAsync(cancellationToken) ? Kept : Missed;
        });
        return command;
    }
}
