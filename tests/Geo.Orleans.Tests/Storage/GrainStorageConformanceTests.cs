using Geo.Testing.Conformance;

namespace Geo.Orleans.Tests.Storage;

public sealed class GrainStorageConformanceTests(MemoryStorageSilo silo) : IClassFixture<MemoryStorageSilo>
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Keeps_the_contract_of_a_conditional_store_without_lists(string name) => ConditionalStoreConformance.RunAsync(
        name, new ConditionalStoreSubject(() => new(silo.Open())) { CanList = false, IncrementsPerWriter = 10 });
}
