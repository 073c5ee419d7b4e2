using Geo.Testing.Conformance;
using Geo.Testing.Storage;

namespace Geo.Testing.Tests.Storage;

/// <summary>A decorator that injects nothing keeps the contract of what it decorates.</summary>
public sealed class DecoratedStoreConformanceTests
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public Task A_latency_store_keeps_the_contract(string name)
    {
        var store = new LatencyConditionalStore(
            new InMemoryConditionalStore(),
            LatencyDistribution.Uniform(TimeSpan.Zero, TimeSpan.FromMilliseconds(1), new Random(1)),
            TimeProvider.System);
        return ConditionalStoreConformance.RunAsync(name, new(() => new(store)));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public Task A_faulty_store_without_faults_keeps_the_contract(string name)
    {
        var store = new FaultyConditionalStore(new InMemoryConditionalStore(), new StoreFaults(), new Random(1), TimeProvider.System);
        return ConditionalStoreConformance.RunAsync(name, new(() => new(store)));
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_rate_limited_store_keeps_the_contract(string name)
    {
        using var store = new RateLimitedConditionalStore(
            new InMemoryConditionalStore(), new RateLimitOptions { OperationsPerSecond = 20_000 }, TimeProvider.System);
        await ConditionalStoreConformance.RunAsync(name, new(() => new(store)));
    }
}
