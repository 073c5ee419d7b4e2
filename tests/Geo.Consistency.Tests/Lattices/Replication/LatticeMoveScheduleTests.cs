using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

public sealed class LatticeMoveScheduleTests
{
    private const int Seeds = 16;

    [Fact]
    public void Nothing_is_lost_while_clusters_come_and_go_and_replicas_become_more_or_fewer_in_any_order()
    {
        foreach (var seed in SimulationSeed.FromEnvironment(Seeds))
        {
            var violation = new LatticeMoveSchedule(seed.Value, isStored: seed.Value % 2 == 0, isHot: seed.Value % 4 == 1).Run();
            Assert.True(violation is null, $"seed {seed}: {violation}");
        }
    }
}
