using BenchmarkDotNet.Attributes;
using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Benchmarks;

/// <summary>One update of a coordination-free grain at its replica, kept for another cluster that does not answer.</summary>
[MemoryDiagnoser]
#pragma warning disable CA1001 // Close disposes of what it owns.
public class LatticeUpdateBenchmarks
#pragma warning restore CA1001
{
    private LatticeExchange _exchange = null!;
    private LatticeHandle<LwwRegister<long>> _register = null!;
    private LatticeHandle<MaxLattice<long>> _greatest = null!;
    private LatticeHandle<PnCounter> _counter = null!;
    private LatticeHandle<Dotted<OrSet<string>>> _set = null!;
    private long _last;

    [GlobalSetup]
    public void Open()
    {
        var other = new UnansweringMessenger();
        _exchange = new(other, () => [new("us"), new("eu")], TimeProvider.System, Random.Shared, NullLogger.Instance, new());
        _exchange.Add(new LatticeClass<LwwRegister<long>>("register"));
        _exchange.Add(new LatticeClass<MaxLattice<long>>("greatest"));
        _exchange.Add(new LatticeClass<PnCounter>("counter"));
        _exchange.Add(new LatticeClass<Dotted<OrSet<string>>>("set"));
        _exchange.Run(() => _exchange.Node.Data.KeepsUpdates = true);
        _register = _exchange.Open<LwwRegister<long>>(new("register", "1"));
        _greatest = _exchange.Open<MaxLattice<long>>(new("greatest", "1"));
        _counter = _exchange.Open<PnCounter>(new("counter", "1"));
        _set = _exchange.Open<Dotted<OrSet<string>>>(new("set", "1"));
    }

    [GlobalCleanup]
    public void Close() => _exchange.Dispose();

    [Benchmark(Baseline = true)]
    public void WriteRegister() => _register.Update(static (_, origin) => LwwRegister<long>.Of(origin.NextStamp(), 7));

    [Benchmark]
    public void RaiseGreatest()
    {
        var next = ++_last;
        _greatest.Update((_, _) => MaxLattice<long>.Of(next));
    }

    [Benchmark]
    public void AddToCounter() => _counter.Update(static (state, origin) => state.Add(origin.Source, 1));

    [Benchmark]
    public void AddToSet() => _set.Update(static (state, origin) => state.Content.Add(origin.NextDot(), "milk"));
}
