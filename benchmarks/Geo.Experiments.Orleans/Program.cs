// Started by Geo.Experiments, which says the rest over standard input.
using Geo.Experiments.Orleans;
using Geo.Experiments.Processes;

if (args is [RegionRole.Name])
{
    return await RegionRole.RunAsync();
}

if (args is [PeerRole.Name])
{
    return await PeerRole.RunAsync(async settings => await SiloPeer.StartAsync(settings));
}

await Console.Error.WriteLineAsync("A peer of the experiments; run benchmarks/Geo.Experiments, which starts it.");
return 2;
