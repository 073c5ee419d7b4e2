// Started by Geo.Experiments, which says the rest over standard input.
using Geo.Experiments.ByteArrays;
using Geo.Experiments.Orleans;
using Geo.Experiments.Processes;
using Geo.Experiments.Regions;

if (args is [ArrayRole.Name])
{
    return await ArrayRole.RunAsync();
}

if (args is [MemberRole.Name])
{
    return await MemberRole.RunAsync();
}

if (args is [PeerRole.Name])
{
    return await PeerRole.RunAsync(async settings => await SiloPeer.StartAsync(settings));
}

await Console.Error.WriteLineAsync("A peer of the experiments; run benchmarks/Geo.Experiments, which starts it.");
return 2;
