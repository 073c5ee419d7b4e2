using Geo.Experiments.Soak.Stores;
using Geo.Processes.Stores;

namespace Geo.Experiments.Tests.Soak;

public sealed class SoakOnPostgresTests
{
    [Fact]
    public Task Two_regions_lose_and_oversell_nothing_in_a_minute_of_faults()
    {
        Assert.SkipWhen(PostgresServer.Absence is not null, PostgresServer.Absence ?? "");
        return OneMinute.RunAsync(SoakStoreKind.Postgres);
    }
}
