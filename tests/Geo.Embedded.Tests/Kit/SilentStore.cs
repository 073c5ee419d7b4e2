using System.Runtime.CompilerServices;

namespace Geo.Embedded.Tests;

/// <summary>
/// A store in front of another that can stop answering: every operation is then unknown, at once or when the silence ends, without an
/// effect or with one.
/// </summary>
internal sealed class SilentStore(IConditionalStore? inner = null) : IConditionalStore
{
    private readonly IConditionalStore _inner = inner ?? new InMemoryConditionalStore();
    private volatile TaskCompletionSource? _silence = inner is null ? Silence() : null;

    private int _askedInSilence;

    public volatile bool WritesInSilence;

    public volatile bool HangsInSilence;

    /// <summary>How many reads and writes came while it was silent.</summary>
    public int AskedInSilence => Volatile.Read(ref _askedInSilence);

    public bool IsSilent
    {
        get => _silence is not null;
        set
        {
            var ended = value ? null : _silence;
            _silence = value ? _silence ?? Silence() : null;
            ended?.SetResult();
        }
    }

    /// <summary>Answers again, except what was asked in silence.</summary>
    public void Recover() => _silence = null;

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        if (_silence is not { } silence)
        {
            return await _inner.ReadAsync(key, cancellationToken);
        }

        await HangAsync(silence, cancellationToken);
        return StoreRead.Unknown("the store is silent.");
    }

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        if (_silence is not { } silence)
        {
            return await _inner.WriteAsync(key, value, expected, cancellationToken);
        }

        if (WritesInSilence)
        {
            await _inner.WriteAsync(key, value, expected, cancellationToken);
        }

        await HangAsync(silence, cancellationToken);
        return StoreWrite.Unknown("the store is silent.");
    }

    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        IsSilent ? StoreWrite.Unknown("the store is silent.") : await _inner.DeleteAsync(key, expected, cancellationToken);

    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (var entry in _inner.ListAsync(prefix, cancellationToken))
        {
            yield return entry;
        }
    }

    private static TaskCompletionSource Silence() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private Task HangAsync(TaskCompletionSource silence, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _askedInSilence);
        return HangsInSilence ? silence.Task.WaitAsync(cancellationToken) : Task.CompletedTask;
    }
}
