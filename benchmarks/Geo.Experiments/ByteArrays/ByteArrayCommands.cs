using System.CommandLine;

namespace Geo.Experiments.ByteArrays;

/// <summary>The commands <c>latency</c> and <c>throughput</c>: the GEO paper's Figures 8, 9 and 10 on <c>samples/ByteArray</c>.</summary>
internal static class ByteArrayCommands
{
    public static Command Latency()
    {
        var (roundTrip, storage) = (RoundTrip(), Storage());
        var host = HostOption(ExperimentHost.Simulated);
        var samples = new Option<int>("--samples")
        {
            Description = "How many accesses each number is the median of; in virtual time one is enough.",
            DefaultValueFactory = _ => 20,
        };
        var command = new Command("latency", "First and repeated accesses by protocol and region, beside GEO's Figure 8.")
        {
            host, roundTrip, storage, samples,
        };
        command.SetAction((parsed, cancellationToken) => new LatencyExperiment(
            parsed.GetValue(host), Time(parsed, roundTrip), Time(parsed, storage), parsed.GetValue(samples), Console.Out)
            .RunAsync(cancellationToken));
        return command;
    }

    public static Command Throughput()
    {
        var (roundTrip, storage) = (RoundTrip(), Storage());
        var load = new Option<double>("--seconds") { Description = "How long each load lasts.", DefaultValueFactory = _ => 6 };
        var robots = new Option<int>("--robots") { Description = "The most robots.", DefaultValueFactory = _ => 32_768 };
        var host = HostOption(ExperimentHost.Embedded);
        var command = new Command("throughput", "The peak throughput of one array by protocol, beside GEO's Figures 9 and 10.")
        {
            host, roundTrip, storage, load, robots,
        };
        command.SetAction((parsed, cancellationToken) => new ThroughputExperiment(
            parsed.GetValue(host), Time(parsed, roundTrip), Time(parsed, storage), TimeSpan.FromSeconds(parsed.GetValue(load)),
            parsed.GetValue(robots), Console.Out).RunAsync(cancellationToken));
        return command;
    }

    private static Option<ExperimentHost> HostOption(ExperimentHost usual) =>
        new("--host") { Description = "What runs the silos.", DefaultValueFactory = _ => usual };

    private static Option<double> RoundTrip() =>
        new("--rtt") { Description = "The round trip between the regions, in ms.", DefaultValueFactory = _ => 145 };

    private static Option<double> Storage() =>
        new("--storage") { Description = "The round trip from California to the store, in ms.", DefaultValueFactory = _ => 10 };

    private static TimeSpan Time(ParseResult parsed, Option<double> option) => TimeSpan.FromMilliseconds(parsed.GetValue(option));
}
