using System.Runtime.CompilerServices;

namespace Geo.Embedded.Tests;

/// <summary>A store in front of another that can stop answering: every operation is then unknown, without an effect or with one.</summary>
internal sealed class SilentStore(IConditionalStore? inner = null) : IConditionalStore
{
    private readonly IConditionalStore _inner = inner ?? new InMemoryConditionalStore();

    public volatile bool IsSilent = inner is null;

    public volatile bool WritesInSilence;

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        IsSilent ? StoreRead.Unknown("the store is silent.") : await _inner.ReadAsync(key, cancellationToken);

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        if (!IsSilent)
        {
            return await _inner.WriteAsync(key, value, expected, cancellationToken);
        }

        if (WritesInSilence)
        {
            await _inner.WriteAsync(key, value, expected, cancellationToken);
        }

        return StoreWrite.Unknown("the store is silent.");
    }

    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        IsSilent ? StoreWrite.Unknown("the store is silent.") : await _inner.DeleteAsync(key, expected, cancellationToken);

    public async IAsyncEnumerable<StoreEntry> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (var entry in _inner.ListAsync(prefix, cancellationToken))
        {
            yield return entry;
        }
    }
}
