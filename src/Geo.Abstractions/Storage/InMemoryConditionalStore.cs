using System.Globalization;
using System.Runtime.CompilerServices;

namespace Geo;

/// <summary>
/// A conditional store in this process's memory: for volatile rows, development and tests. It never answers unknown, completes
/// synchronously, and forgets everything with the process.
/// </summary>
public sealed class InMemoryConditionalStore : IConditionalStore
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, (byte[] Value, long Version)> _entries = new(StringComparer.Ordinal);
    private readonly int _maxValueBytes;
    private long _lastVersion;

    /// <summary>Creates an empty store.</summary>
    /// <param name="maxValueBytes">The largest value accepted, in bytes; 16 MiB by default.</param>
    public InMemoryConditionalStore(int maxValueBytes = 16 * 1024 * 1024)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxValueBytes);
        _maxValueBytes = maxValueBytes;
    }

    /// <inheritdoc/>
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        lock (_lock)
        {
            return new(_entries.TryGetValue(key, out var entry) ? StoreRead.Found(entry.Value, Tag(entry.Version)) : StoreRead.NotFound);
        }
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        if (value.Length > _maxValueBytes)
        {
            throw new GeoStorageException(
                $"The value for '{key}' has {value.Length} bytes; this in-memory store takes at most {_maxValueBytes} a value.");
        }

        cancellationToken.ThrowIfCancellationRequested();
        var copy = value.ToArray();
        lock (_lock)
        {
            if (!IsExpected(key, expected))
            {
                return new(StoreWrite.Conflict);
            }

            _entries[key] = (copy, ++_lastVersion);
            return new(StoreWrite.Applied(Tag(_lastVersion)));
        }
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        lock (_lock)
        {
            if (!IsExpected(key, expected))
            {
                return new(StoreWrite.Conflict);
            }

            _entries.Remove(key);
            return new(StoreWrite.Deleted);
        }
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        StoreEntry[] matches;
        lock (_lock)
        {
            matches = [.. _entries
                .Where(e => e.Key.StartsWith(prefix, StringComparison.Ordinal))
                .OrderBy(e => e.Key, CodePointOrder.Instance)
                .Select(e => new StoreEntry(e.Key, e.Value.Value, Tag(e.Value.Version)))];
        }

        foreach (var match in matches)
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return match;
        }

        await ValueTask.CompletedTask;
    }

    private static ETag Tag(long version) => new(version.ToString(CultureInfo.InvariantCulture));

    private bool IsExpected(string key, ETag? expected) =>
        _entries.TryGetValue(key, out var entry) ? expected == Tag(entry.Version) : expected is null;
}
