using Geo.Testing.Storage;

namespace Geo.Directory.Tests.Silos;

/// <summary>One silo's own way to the store of its cluster's rows, which takes a moment and may be cut.</summary>
internal sealed class WayToRows(IConditionalStore rows, TimeProvider time, int seed) : IConditionalStore
{
    private readonly LatencyConditionalStore _store = new(
        rows, LatencyDistribution.Uniform(TimeSpan.Zero, TimeSpan.FromMilliseconds(20), new Random(seed)), time);

    private TaskCompletionSource? _hung;

    /// <summary>True while nothing arrives: what is asked ends as unknown, without effect.</summary>
    public bool IsCut { get; set; }

    /// <summary>True while reads alone arrive.</summary>
    public bool LosesWrites { get; set; }

    /// <summary>True while nothing is answered at all; what hung ends as unknown, without effect.</summary>
    public bool Hangs
    {
        get => _hung is not null;
        set
        {
            _hung?.TrySetResult();
            _hung = value ? new TaskCompletionSource() : null;
        }
    }

    /// <summary>The leases that were read.</summary>
    public List<string> Read { get; } = [];

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        Read.AddRange(key.StartsWith(LeaseRow.Prefix, StringComparison.Ordinal) ? [LeaseRow.NodeOf(key)] : []);
        return await IsLostAsync() ? StoreRead.Unknown("the test says so") : await _store.ReadAsync(key, cancellationToken);
    }

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        return await IsLostAsync() || LosesWrites
            ? StoreWrite.Unknown("the test says so") : await _store.WriteAsync(key, value, expected, cancellationToken);
    }

    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        return await IsLostAsync() || LosesWrites
            ? StoreWrite.Unknown("the test says so") : await _store.DeleteAsync(key, expected, cancellationToken);
    }

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        _store.ListAsync(prefix, cancellationToken);

    private async ValueTask<bool> IsLostAsync()
    {
        if (_hung is { } hung)
        {
            await hung.Task;
            return true;
        }

        return IsCut;
    }
}
