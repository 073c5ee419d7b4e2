using BenchmarkDotNet.Attributes;
using Geo.Directory;
using Geo.Experiments.Scale;

namespace Geo.Benchmarks;

/// <summary>Two directories over stores in memory, and no way between them that takes time: what a round costs the processor.</summary>
[MemoryDiagnoser]
public sealed class RoundBenchmarks : IDisposable
{
    private static readonly ClusterId Us = new("us");
    private static readonly ClusterId Eu = new("eu");

    private readonly GrainKey _key = new("cart", "1");
    private readonly GrainKey _here = new("cart", "2");
    private ScaleSilo _us = null!;
    private ScaleSilo _eu = null!;

    // Synchronous: in this process nobody waits for a task of a setup.
    [GlobalSetup]
    public void Start() => StartAsync().GetAwaiter().GetResult();

    private async Task StartAsync()
    {
        Dictionary<ClusterId, DirectMessenger> ways = [];
        (ways[Us], ways[Eu]) = (new(Us, ways), new(Eu, ways));
        var configuration = new MultiClusterConfiguration(1, [Us, Eu]);
        var options = new GlobalDirectoryOptions { ScanInterval = TimeSpan.FromHours(1) };
        _us = new("us/1", ways[Us], new InMemoryConditionalStore(), configuration, [], options);
        _eu = new("eu/1", ways[Eu], new InMemoryConditionalStore(), configuration, [], options);
        await OwnAsync(_here);
    }

    [GlobalCleanup]
    public void Dispose() => StopAsync().GetAwaiter().GetResult();

    private async Task StopAsync()
    {
        await _us.DisposeAsync();
        await _eu.DisposeAsync();
    }

    /// <summary>A grain that is nowhere is acquired, and given up again.</summary>
    [Benchmark]
    public async Task RoundAndReleaseAsync()
    {
        await OwnAsync(_key);
        await _us.Directory.ReleaseAsync(_key, _us.Node);
    }

    /// <summary>A grain that is here already: one read.</summary>
    [Benchmark]
    public Task OwnedAlreadyAsync() => OwnAsync(_here);

    private async Task OwnAsync(GrainKey key)
    {
        var placement = await _us.Directory.AcquireAsync(key, _us.Node, SingleInstanceMode.Optimistic);
        if (placement.Kind != PlacementKind.Here)
        {
            throw new InvalidOperationException($"The grain is in {placement.Cluster}.");
        }
    }
}
