using System.Runtime.CompilerServices;

namespace Geo.Storage.Quorum.Tests;

/// <summary>A store whose operations a test holds; a held write takes place when it is let go, whatever has come before it then.</summary>
internal sealed class HeldStore : IConditionalStore
{
    private readonly List<(string What, TaskCompletionSource Go)> _held = [];

    public InMemoryConditionalStore Inner { get; } = new();

    /// <summary>
    /// True for an operation that is held: "read" or "write" of a key, "list" of the next one, or "begin" of a list of a prefix.
    /// </summary>
    public Func<string, string, bool> Holds { get; set; } = (_, _) => false;

    /// <summary>What each entry of a list waits for.</summary>
    public Func<Task> Slowness { get; set; } = () => Task.CompletedTask;

    /// <summary>How many entries lists have read.</summary>
    public int Listed { get; private set; }

    public int Held => _held.Count;

    /// <summary>Lets the oldest held operation go.</summary>
    public void LetGo()
    {
        var (_, go) = _held[0];
        _held.RemoveAt(0);
        go.SetResult();
    }

    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        await PassAsync("read", key);
        return await Inner.ReadAsync(key, CancellationToken.None);
    }

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        await PassAsync("write", key);
        return await Inner.WriteAsync(key, value, expected, CancellationToken.None);
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        Inner.DeleteAsync(key, expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        ListAsync(prefix, null, cancellationToken);

    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, string? after, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await PassAsync("begin", prefix);
        await foreach (var entry in Inner.ListAsync(prefix, after, cancellationToken))
        {
            await PassAsync("list", entry.Key);
            await Slowness();
            Listed++;
            yield return entry;
        }
    }

    private Task PassAsync(string what, string key)
    {
        if (!Holds(what, key))
        {
            return Task.CompletedTask;
        }

        var go = new TaskCompletionSource();
        _held.Add(($"{what} {key}", go));
        return go.Task;
    }
}
