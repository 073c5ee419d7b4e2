using Geo.Testing.Storage;

namespace Geo.Directory.Tests.Silos;

/// <summary>One silo's own way to the store of its cluster's rows, which takes a moment and may be cut.</summary>
internal sealed class WayToRows(IConditionalStore rows, TimeProvider time, int seed) : IConditionalStore
{
    private readonly LatencyConditionalStore _store = new(
        rows, LatencyDistribution.Uniform(TimeSpan.Zero, TimeSpan.FromMilliseconds(20), new Random(seed)), time);

    private readonly Stack<TaskCompletionSource> _held = new();
    private Trouble? _trouble;
    private TaskCompletionSource _hung = new();

    /// <summary>The leases that were read.</summary>
    public List<string> Read { get; } = [];

    /// <summary>True where the next fence that is written takes effect unheard.</summary>
    public bool LosesReplyToFence { get; set; }

    /// <summary>Happens a moment before the next fence is written.</summary>
    public Action? BeforeFence { get; set; }

    /// <summary>True where fences are written whatever the row is by then.</summary>
    public bool FencesBlindly { get; set; }

    /// <summary>The silo whose lease the next read of it does not find out about; null for none.</summary>
    public string? LosesReadOf { get; set; }

    /// <summary>From now on it has this trouble.</summary>
    public void Begin(Trouble trouble) => (_trouble, _hung) = (trouble, new TaskCompletionSource());

    /// <summary>The write that was held last goes on, and takes effect.</summary>
    public void ReleaseLast() => _held.Pop().SetResult();

    /// <summary>It works again; what hung ends as unknown, without effect, unless it never ends.</summary>
    public void End()
    {
        if (_trouble != Trouble.HangsForGood)
        {
            _hung.TrySetResult();
        }

        _trouble = null;
    }

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        Read.AddRange(key.StartsWith(LeaseRow.Prefix, StringComparison.Ordinal) ? [LeaseRow.NodeOf(key)] : []);
        if (LosesReadOf is { } node && key == LeaseRow.KeyOf(node))
        {
            LosesReadOf = null;
            return StoreRead.Unknown("the test says so");
        }

        return await IsLostAsync() ? StoreRead.Unknown("the test says so") : await _store.ReadAsync(key, cancellationToken);
    }

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var isFence = key.StartsWith(LeaseRow.Prefix, StringComparison.Ordinal) && LeaseRow.Decode(value.Span).IsFenced;
        if (isFence)
        {
            if (BeforeFence is { } before)
            {
                before();
                BeforeFence = null;
                await Task.Delay(TimeSpan.FromMilliseconds(50), time, cancellationToken);
            }

            expected = FencesBlindly ? (await rows.ReadAsync(key, cancellationToken)).ETag : expected;
        }

        var written = await ChangeAsync(() => _store.WriteAsync(key, value, expected, cancellationToken));
        if (isFence && LosesReplyToFence)
        {
            LosesReplyToFence = false;
            return StoreWrite.Unknown("the test says so");
        }

        return written;
    }

    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        return await ChangeAsync(() => _store.DeleteAsync(key, expected, cancellationToken));
    }

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        _store.ListAsync(prefix, cancellationToken);

    private async ValueTask<StoreWrite> ChangeAsync(Func<ValueTask<StoreWrite>> change)
    {
        var trouble = _trouble;
        if (trouble == Trouble.WritesHeld)
        {
            var held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _held.Push(held);
            await held.Task;
            return await change();
        }

        if (await IsLostAsync() || trouble == Trouble.LosesWrites)
        {
            return StoreWrite.Unknown("the test says so");
        }

        if (trouble == Trouble.WritesLate)
        {
            await Task.Delay(LeaseRing.Lease * 0.4, time);
        }

        var written = await change();
        return trouble == Trouble.LosesReplies ? StoreWrite.Unknown("the test says so") : written;
    }

    private async ValueTask<bool> IsLostAsync()
    {
        if (_trouble is Trouble.Hangs or Trouble.HangsForGood)
        {
            await _hung.Task;
            return true;
        }

        return _trouble == Trouble.Cut;
    }
}
