using System.CommandLine;

namespace Geo.Experiments.Lattices;

/// <summary>The command <c>lattices</c>.</summary>
internal static class LatticesCommand
{
    public static Command Create()
    {
        var keys = new Option<int>("--keys") { Description = "How many keys.", DefaultValueFactory = _ => 100_000 };
        var seconds = new Option<double>("--seconds") { Description = "How long each cell runs.", DefaultValueFactory = _ => 1 };
        var roundTrip = new Option<double>("--rtt") { Description = "Between the regions, in ms.", DefaultValueFactory = _ => 145 };
        var raw = new Option<string?>("--raw") { Description = "The file for a line a cell; none by default." };
        var command = new Command("lattices", "Replicas of lattices beside dictionaries, and beside linearizable grains in three regions.")
        {
            keys, seconds, roundTrip, raw, LevelsCommand.Create(),
        };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            await using var lines = parsed.GetValue(raw) is { } file ? new StreamWriter(file) : TextWriter.Null;
            await new LatticesExperiment(
                parsed.GetValue(keys), TimeSpan.FromSeconds(parsed.GetValue(seconds)),
                TimeSpan.FromMilliseconds(parsed.GetValue(roundTrip)), Console.Out, lines).RunAsync(cancellationToken);
        });
        return command;
    }
}
