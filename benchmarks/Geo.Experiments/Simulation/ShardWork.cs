using System.Globalization;

namespace Geo.Experiments.Simulation;

/// <summary>What one of several processes does of a search through seeds.</summary>
/// <param name="Index">Which process it is, from 0.</param>
/// <param name="Of">How many there are.</param>
/// <param name="From">The first seed of the search.</param>
/// <param name="Seeds">How many seeds the search has.</param>
/// <param name="Clusters">How many clusters each run has; as its seed says when null.</param>
/// <param name="Silos">How many silos each cluster has; as its seed says when null.</param>
/// <param name="World">What is simulated.</param>
/// <param name="Quorum">True where a majority of the clusters says who owns the grains.</param>
/// <param name="Configuration">True where clusters come and go.</param>
/// <param name="Homes">True where the grains say where they live.</param>
internal sealed record ShardWork(
    int Index, int Of, int From, int Seeds, int? Clusters, int? Silos, SimulatedWorld World = SimulatedWorld.Silos, bool Quorum = false,
    bool Configuration = false, bool Homes = false)
{
    // One of so many seeds runs twice, and its traces must agree.
    private const int RepeatEvery = 50;

    /// <summary>The seeds of this process: every one that falls to it, and of those that run twice also its neighbour's.</summary>
    public IEnumerable<int> Mine() =>
        Enumerable.Range(From, Seeds).Where(seed => seed % Of == Index || (IsRepeated(seed) && (seed + 1) % Of == Index));

    /// <summary>True when a seed runs twice: in two processes where there are as many, so that they cannot share anything.</summary>
    public static bool IsRepeated(int seed) => seed % RepeatEvery == 0;

    /// <summary>True when the seed counts here and not at its neighbour.</summary>
    public bool IsOwn(int seed) => seed % Of == Index;

    /// <summary>The command that runs one of the seeds again, and it alone.</summary>
    public string CommandOf(int seed)
    {
        var world = World switch { SimulatedWorld.Views => " --views", SimulatedWorld.Lattices => " --lattices", _ => "" };
        return string.Create(
            CultureInfo.InvariantCulture,
            $"simulate --from {seed} --seeds 1 --processes 1{Flag("clusters", Clusters)}{Flag("silos", Silos)}{world}"
            + $"{Flag("quorum", Quorum)}{Flag("configuration", Configuration)}{Flag("homes", Homes)}");
    }

    private static string Flag(string name, bool value) => value ? $" --{name}" : "";

    private static string Flag(string name, int? value) =>
        value is null ? "" : string.Create(CultureInfo.InvariantCulture, $" --{name} {value}");
}
