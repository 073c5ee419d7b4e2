using Geo.Testing.Conformance;

namespace Geo.Storage.Quorum.Tests;

/// <summary>The contract of every conditional store, over three processes that each keep their part of the values in a file.</summary>
public sealed class QuorumProcessTests(KeeperProcesses keepers) : IClassFixture<KeeperProcesses>
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory, MemberData(nameof(Cases))]
    public Task Keeps_the_contract_over_processes(string name) => ConditionalStoreConformance.RunAsync(name, new(keepers.OpenAsync));
}
