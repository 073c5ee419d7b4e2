using System.Collections.Concurrent;

namespace Geo.Experiments.Lattices;

/// <summary>
/// What the lattices are compared with: dictionaries of one process that threads share, and one for each that they do not.
/// </summary>
internal static class Dictionaries
{
    /// <summary>A dictionary behind one lock.</summary>
    public static IKeyed Locked<T>(Func<T?, T> next, Func<T, long> value) => new Lock<T>(next, value);

    /// <summary>A <see cref="ConcurrentDictionary{TKey, TValue}"/>.</summary>
    public static IKeyed Concurrent<T>(Func<T?, T> next, Func<T, long> value) => new Shared<T>(next, value);

    /// <summary>A dictionary a thread, which sees nothing of the others: what no replication can beat.</summary>
    public static IKeyed Apart<T>(int threads, Func<T?, T> next, Func<T, long> value) => new Own<T>(threads, next, value);

    private sealed class Lock<T>(Func<T?, T> next, Func<T, long> value) : IKeyed
    {
        private readonly Lock _gate = new();
        private readonly Dictionary<int, T> _values = [];

        public void Update(int thread, int key)
        {
            lock (_gate)
            {
                _values[key] = next(_values.GetValueOrDefault(key));
            }
        }

        public long Read(int thread, int key)
        {
            lock (_gate)
            {
                return _values.TryGetValue(key, out var found) ? value(found) : 0;
            }
        }

        public ValueTask<string?> CheckAsync(long updates, int keys) => default;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class Shared<T>(Func<T?, T> next, Func<T, long> value) : IKeyed
    {
        private readonly ConcurrentDictionary<int, T> _values = new();

        public void Update(int thread, int key) =>
            _values.AddOrUpdate(key, static (_, n) => n(default), static (_, present, n) => n(present), next);

        public long Read(int thread, int key) => _values.TryGetValue(key, out var found) ? value(found) : 0;

        public ValueTask<string?> CheckAsync(long updates, int keys) => default;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class Own<T>(int threads, Func<T?, T> next, Func<T, long> value) : IKeyed
    {
        private readonly Dictionary<int, T>[] _values = [.. Enumerable.Range(0, threads).Select(_ => new Dictionary<int, T>())];

        public void Update(int thread, int key) => _values[thread][key] = next(_values[thread].GetValueOrDefault(key));

        public long Read(int thread, int key) => _values[thread].TryGetValue(key, out var found) ? value(found) : 0;

        public ValueTask<string?> CheckAsync(long updates, int keys) => default;

        public ValueTask DisposeAsync() => default;
    }
}
