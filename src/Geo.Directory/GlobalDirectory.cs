using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// The directory of single-instance grains of one cluster, coordinated with the other clusters by the global single instance protocol
/// (GEO sections 3.1 to 3.3).
/// </summary>
public sealed class GlobalDirectory : IAsyncDisposable
{
    /// <summary>The prefix of the directory's rows in the store; the rest of a row's key is the grain key.</summary>
    public const string RowPrefix = "gsi/";

#pragma warning disable CA1822, CA1801, IDE0060, CS1998
    /// <summary>Creates a directory; nothing happens before <see cref="Start"/>.</summary>
    public GlobalDirectory(
        GlobalDirectoryOptions options, IClusterMessenger messenger, IConditionalStore rows, MultiClusterConfiguration configuration,
        ILocalInstances instances, TimeProvider time, Random random, ILogger<GlobalDirectory> logger)
    {
    }

    /// <summary>Starts.</summary>
    public void Start()
    {
    }

    /// <summary>Acquires.</summary>
    public ValueTask<Placement> AcquireAsync(GrainKey key, string node, SingleInstanceMode mode, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException("Follows in the next commit.");

    /// <summary>Looks up.</summary>
    public ValueTask<Placement?> LookupAsync(GrainKey key, CancellationToken cancellationToken = default) => throw new NotSupportedException("Follows in the next commit.");

    /// <summary>Releases.</summary>
    public ValueTask ReleaseAsync(GrainKey key, string node) => throw new NotSupportedException("Follows in the next commit.");

    /// <summary>Forgets.</summary>
    public ValueTask ForgetCachedAsync(GrainKey key, ClusterId stale) => throw new NotSupportedException("Follows in the next commit.");

    /// <summary>Resolves.</summary>
    public ValueTask<int> ResolveDoubtfulAsync(CancellationToken cancellationToken = default) => throw new NotSupportedException("Follows in the next commit.");

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
#pragma warning restore
}
