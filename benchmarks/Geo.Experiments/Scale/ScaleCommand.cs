using System.CommandLine;

namespace Geo.Experiments.Scale;

/// <summary>The command <c>directory-scale</c>.</summary>
internal static class ScaleCommand
{
    public static Command Create()
    {
        var rows = new Option<int>("--rows") { Description = "How many grains one cluster has.", DefaultValueFactory = _ => 1_000_000 };
        var lost =
            new Option<int>("--lost") { Description = "How many of them a silo had that is lost.", DefaultValueFactory = _ => 100_000 };
        var roundTrip =
            new Option<double>("--rtt") { Description = "The round trip to the other cluster, in ms.", DefaultValueFactory = _ => 145 };
        var file = new Option<FileInfo?>("--sqlite")
        {
            Description = "Keeps the rows in this SQLite file, which must not exist, instead of in memory.",
        };
        var command = new Command("directory-scale", "What a directory of many grains costs: memory, scans, and the loss of a silo.")
        {
            rows,
            lost,
            roundTrip,
            file,
        };
        command.SetAction((parsed, cancellationToken) => new ScaleExperiment(
            parsed.GetValue(rows), parsed.GetValue(lost), TimeSpan.FromMilliseconds(parsed.GetValue(roundTrip)), parsed.GetValue(file),
            Console.Out)
            .RunAsync(cancellationToken));
        return command;
    }
}
