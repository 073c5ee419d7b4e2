using BenchmarkDotNet.Attributes;
using Geo.Consistency.Lattices;

namespace Geo.Benchmarks;

/// <summary>What comes from another cluster merged into a state: one update into a state, and two states.</summary>
[MemoryDiagnoser]
public class LatticeMergeBenchmarks
{
    private const int Items = 100;

    private static readonly ReplicaId Here = new(1);
    private static readonly ReplicaId There = new(2);

    private readonly LwwRegister<long> _register = LwwRegister<long>.Of(new Stamp(1, Here), 1);
    private readonly LwwRegister<long> _laterRegister = LwwRegister<long>.Of(new Stamp(2, There), 2);
    private readonly PnCounter _counter = PnCounter.Bottom.Add(Here, 1);
    private readonly PnCounter _otherCounter = PnCounter.Bottom.Add(There, 1);
    private Dotted<OrSet<string>> _set = Dotted<OrSet<string>>.Bottom;
    private Dotted<OrSet<string>> _otherSet = Dotted<OrSet<string>>.Bottom;
    private Dotted<OrSet<string>> _addition = null!;
    private Dotted<OrSet<string>> _removal = null!;

    [GlobalSetup]
    public void Fill()
    {
        for (var item = 0; item < Items; item++)
        {
            var delta = _set.Content.Add(new Dot(Here, item + 1), $"item-{item}");
            _set = _set.Merge(delta);
            _otherSet = _otherSet.Merge(delta);
        }

        _addition = _otherSet.Content.Add(new Dot(There, 1), "milk");
        _removal = _otherSet.Content.Remove(new Dot(There, 2), "item-7");
        _otherSet = _otherSet.Merge(_addition).Merge(_removal);
    }

    [Benchmark(Baseline = true)]
    public LwwRegister<long> Register() => _register.Merge(_laterRegister);

    [Benchmark]
    public PnCounter Counter() => _counter.Merge(_otherCounter);

    [Benchmark]
    public Dotted<OrSet<string>> AdditionIntoSetOf100() => _set.Merge(_addition);

    [Benchmark]
    public Dotted<OrSet<string>> RemovalFromSetOf100() => _set.Merge(_removal);

    [Benchmark]
    public Dotted<OrSet<string>> TwoSetsOf100() => _set.Merge(_otherSet);
}
