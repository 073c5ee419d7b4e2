using System.CommandLine;
using Geo;
using Geo.Experiments;
using Geo.Experiments.ByteArrays;
using Geo.Experiments.Messaging;
using Geo.Experiments.Processes;
using Geo.Experiments.Regions;
using Geo.Experiments.Simulation;
using Geo.Experiments.Soak;
using Geo.Processes;
using Geo.Processes.Stores;

if (args is [PeerRole.Name])
{
    return await PeerRole.RunAsync(ExperimentPeer.StartAsync);
}

if (args is [ShardRole.Name, var work])
{
    return ShardRole.Run(work);
}

if (args is [RegionRole.Name])
{
    return await RegionRole.RunAsync();
}

if (args is [ArrayRole.Name])
{
    return await ArrayRole.RunAsync();
}

if (args is [MemberRole.Name])
{
    return await MemberRole.RunAsync();
}

if (args is [StoreRole.Name])
{
    return await StoreRole.RunAsync();
}

var parsed = ExperimentCommands.Create().Parse(args);
try
{
    var configuration = new InvocationConfiguration { EnableDefaultExceptionHandler = false };
    if (parsed.CommandResult.Command.Name == SoakCommand.Name)
    {
        // A soak that is stopped still compares the books; the others have nothing to put in order.
        configuration.ProcessTerminationTimeout = SoakCommand.EndsWithin;
    }

    return await parsed.InvokeAsync(configuration);
}
catch (Exception error) when (error is GeoException or ChildFailedException)
{
    await Console.Error.WriteLineAsync($"geo-experiments: {error.Message}");
    return 2;
}
catch (OperationCanceledException)
{
    await Console.Error.WriteLineAsync("Stopped.");
    return 130;
}
