using Geo.Directory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Experiments.Scale;

/// <summary>A silo that is a directory and nothing else: its grains are rows.</summary>
internal sealed class ScaleSilo : ILocalInstances, IAsyncDisposable
{
    private readonly HashSet<string> _gone;

    public ScaleSilo(
        string node, IClusterMessenger messenger, IConditionalStore rows, MultiClusterConfiguration configuration, HashSet<string> gone,
        GlobalDirectoryOptions options, long incarnation = 1)
    {
        (Node, _gone, Incarnation) = (node, gone, incarnation);
        Directory = new GlobalDirectory(
            options, messenger, rows, configuration, this, TimeProvider.System, new Random(StringComparer.Ordinal.GetHashCode(node)),
            NullLogger<GlobalDirectory>.Instance);
        Directory.Start();
    }

    public string Node { get; }

    public long Incarnation { get; }

    public GlobalDirectory Directory { get; }

    public NodeState StateOf(string node)
    {
        lock (_gone)
        {
            return _gone.Contains(node) ? NodeState.Gone : NodeState.Living;
        }
    }

    public bool Has(GrainKey key) => true;

    public ValueTask<TenancyUse> UsesAsync(
        string node, GrainKey key, long tenancy, TimeSpan timeout, CancellationToken cancellationToken) => default;

    public ValueTask DeactivateAsync(GrainKey key, string reason) => default;

    /// <summary>Acquires grains, so many at a time, and says how many are here.</summary>
    public async Task<int> AcquireAsync(IReadOnlyList<GrainKey> keys, int parallelism)
    {
        var here = 0;
        await Parallel.ForAsync(0, keys.Count, new ParallelOptions { MaxDegreeOfParallelism = parallelism }, async (i, cancellationToken) =>
        {
            var placement = await Directory.AcquireAsync(keys[i], Node, SingleInstanceMode.Optimistic, cancellationToken);
            if (placement.Kind == PlacementKind.Here)
            {
                Interlocked.Increment(ref here);
            }
        });
        return here;
    }

    public ValueTask DisposeAsync() => Directory.DisposeAsync();
}
