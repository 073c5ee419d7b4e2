using Geo.Testing.Conformance;

namespace Geo.Storage.Quorum.Tests;

/// <summary>The same while one of the three processes is killed; and killed ones that come back have lost nothing.</summary>
public sealed class KilledKeeperTests(KilledKeeperTests.OneKilled keepers) : IClassFixture<KilledKeeperTests.OneKilled>
{
    public static TheoryData<string> Cases => [.. ConditionalStoreConformance.Names];

    [Theory, MemberData(nameof(Cases))]
    public Task Keeps_the_contract_without_one_of_three_processes(string name) =>
        ConditionalStoreConformance.RunAsync(name, new(keepers.OpenAsync));

    public sealed class OneKilled : KeeperProcesses
    {
        public override async ValueTask InitializeAsync()
        {
            await base.InitializeAsync();
            await KillAsync("eu");
        }
    }
}
