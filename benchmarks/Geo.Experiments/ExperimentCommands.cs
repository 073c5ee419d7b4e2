using System.CommandLine;
using Geo.Experiments.Activations;
using Geo.Experiments.ByteArrays;
using Geo.Experiments.Lattices;
using Geo.Experiments.Losses;
using Geo.Experiments.Messaging;
using Geo.Experiments.Regions;
using Geo.Experiments.Scale;
using Geo.Experiments.Simulation;
using Geo.Experiments.Soak;

namespace Geo.Experiments;

/// <summary>What the command line offers.</summary>
internal static class ExperimentCommands
{
    public static RootCommand Create() => new("The experiments of the papers that Geo is built on, side by side with peers.")
    {
        MessagingCommand.Create(),
        SimulateCommand.Create(),
        ScaleCommand.Create(),
        ByteArrayCommands.Latency(),
        ByteArrayCommands.Throughput(),
        ActivationsCommand.Create(),
        LossCommand.Create(),
        RegionCommands.Cut(),
        RegionCommands.Drain(),
        RegionCommands.Writes(),
        LatticesCommand.Create(),
        SoakCommand.Create(),
    };
}
