using Geo.Experiments.Soak.Stores;

namespace Geo.Experiments.Tests.Soak;

public sealed class SoakOnSqliteTests
{
    [Fact]
    public Task Two_regions_lose_and_oversell_nothing_in_a_minute_of_faults() => OneMinute.RunAsync(SoakStoreKind.Sqlite);
}
