using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Experiments.Lattices;

/// <summary>Replicas of lattices in one process that send each other what changes; threads are spread over them.</summary>
/// <typeparam name="T">The lattice.</typeparam>
internal sealed class Replicas<T> : IKeyed
    where T : ILattice<T>
{
    private readonly Dictionary<ClusterId, PumpMessenger> _messengers = [];
    private readonly LatticeExchange[] _exchanges;
    private readonly Dictionary<int, LatticeHandle<T>>[] _handles;
    private readonly Func<T, LatticeOrigin, T> _change;
    private readonly Func<T, long> _value;
    private readonly bool _isSum;

    /// <param name="threads">How many threads use them.</param>
    /// <param name="replicas">How many there are.</param>
    /// <param name="change">An update.</param>
    /// <param name="value">Something of a state.</param>
    /// <param name="isSum">True where the values are to sum up to the number of updates.</param>
    public Replicas(int threads, int replicas, Func<T, LatticeOrigin, T> change, Func<T, long> value, bool isSum)
    {
        (_change, _value, _isSum) = (change, value, isSum);
        ClusterId[] names = [.. Enumerable.Range(0, replicas).Select(i => new ClusterId($"r{i}"))];
        _exchanges = [.. names.Select(name => new LatticeExchange(
            new PumpMessenger(name, _messengers), () => names, TimeProvider.System, Random.Shared, NullLogger.Instance, new()))];
        foreach (var exchange in _exchanges)
        {
            exchange.Add(new LatticeClass<T>("grain"));
        }

        Array.ForEach(_exchanges, e => e.Start());
        _handles = [.. Enumerable.Range(0, threads).Select(_ => new Dictionary<int, LatticeHandle<T>>())];
    }

    public void Update(int thread, int key) => Handle(thread, key).Update(_change);

    public long Read(int thread, int key) => _value(Handle(thread, key).State);

    public async ValueTask<string?> CheckAsync(long updates, int keys)
    {
        var patience = TimeProvider.System.GetTimestamp();
        while (true)
        {
            var sums = _exchanges.Select(e => Enumerable.Range(0, keys).Sum(key => Value(e, key))).Distinct().ToList();
            if (sums.Count == 1 && (!_isSum || sums[0] == updates))
            {
                return null;
            }

            if (TimeProvider.System.GetElapsedTime(patience) > TimeSpan.FromSeconds(30))
            {
                return $"replicas show {string.Join(" and ", sums)} after {updates} updates";
            }

            await Task.Delay(50);
        }
    }

    public async ValueTask DisposeAsync()
    {
        Array.ForEach(_exchanges, e => e.Dispose());
        foreach (var messenger in _messengers.Values)
        {
            await messenger.DisposeAsync();
        }
    }

    private static GrainKey KeyOf(int key) => new("grain", $"{key}");

    private LatticeHandle<T> Handle(int thread, int key) => _handles[thread].TryGetValue(key, out var handle)
        ? handle
        : _handles[thread][key] = _exchanges[thread % _exchanges.Length].Open<T>(KeyOf(key));

    private long Value(LatticeExchange exchange, int key)
    {
        var value = 0L;
        exchange.Run(() => value = exchange.Node.Data.Cells.Find(KeyOf(key)) is LatticeCell<T> cell ? _value(cell.State) : 0);
        return value;
    }
}
