namespace Geo.HealthChecks.Tests;

/// <summary>A store that answers nothing until it is told to, and heeds no token.</summary>
internal sealed class SilentStore : IConditionalStore
{
    private readonly TaskCompletionSource<StoreRead> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _reads;

    public int Reads => Volatile.Read(ref _reads);

    public void Answer() => _answer.SetResult(StoreRead.NotFound);

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        Interlocked.Increment(ref _reads);
        return new(_answer.Task);
    }

    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException();
}
