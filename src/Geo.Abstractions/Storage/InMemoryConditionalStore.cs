using System.Globalization;
using System.Runtime.CompilerServices;

namespace Geo;

/// <summary>
/// A conditional store in this process's memory: for volatile rows, development and tests. It never answers unknown, completes
/// synchronously, and forgets everything with the process. A list is read page by page, so that it never holds up a read for long.
/// </summary>
public sealed class InMemoryConditionalStore : IConditionalStore
{
    private const int PageEntries = 128;

    private readonly Lock _lock = new();
    private readonly SortedSet<string> _keys = new(CodePointOrder.Instance);
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
        StoreLimits.CheckValue(key, value.Length, _maxValueBytes, "this in-memory store");

        cancellationToken.ThrowIfCancellationRequested();
        var copy = value.ToArray();
        lock (_lock)
        {
            if (!IsExpected(key, expected))
            {
                return new(StoreWrite.Conflict);
            }

            if (expected is null)
            {
                _keys.Add(key);
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
            _keys.Remove(key);
            return new(StoreWrite.Deleted);
        }
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        ListAsync(prefix, after: null, cancellationToken);

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, string? after, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        var page = new List<StoreEntry>(PageEntries);
        var from = CodePointOrder.Instance.Compare(prefix, after) > 0 ? prefix : after + '\0';
        do
        {
            page.Clear();
            ReadPage(prefix, from, page);
            foreach (var entry in page)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return entry;
            }

            // The least key after the last one.
            from = page.Count == 0 ? prefix : page[^1].Key + '\0';
        }
        while (page.Count == PageEntries);

        await ValueTask.CompletedTask;
    }

    private void ReadPage(string prefix, string from, List<StoreEntry> into)
    {
        lock (_lock)
        {
            if (_keys.Max is not { } last || CodePointOrder.Instance.Compare(from, last) > 0)
            {
                return;
            }

            foreach (var key in _keys.GetViewBetween(from, last))
            {
                if (into.Count == PageEntries || !key.StartsWith(prefix, StringComparison.Ordinal))
                {
                    return;
                }

                var (value, version) = _entries[key];
                into.Add(new StoreEntry(key, value, Tag(version)));
            }
        }
    }

    private static ETag Tag(long version) => new(version.ToString(CultureInfo.InvariantCulture));

    private bool IsExpected(string key, ETag? expected) =>
        _entries.TryGetValue(key, out var entry) ? expected == Tag(entry.Version) : expected is null;
}
