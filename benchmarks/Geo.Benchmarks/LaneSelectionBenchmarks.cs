using BenchmarkDotNet.Attributes;

namespace Geo.Benchmarks;

/// <summary>From a key to the number that chooses its lane.</summary>
[MemoryDiagnoser]
public class LaneSelectionBenchmarks
{
    private const ulong Lanes = 16;
    private readonly string _text = "item/europe/12345";
    private readonly Guid _guid = Guid.Parse("6f1c5c52-5d1e-4f57-8f43-1c9f6f4e7a10");
    private readonly PartitionKey _key = PartitionKey.From(7);

    [Benchmark]
    public ulong Text() => PartitionKey.From(_text).Mix() % Lanes;

    [Benchmark]
    public ulong Guids() => PartitionKey.From(_guid).Mix() % Lanes;

    [Benchmark(Baseline = true)]
    public ulong KeyAtHand() => _key.Mix() % Lanes;
}
