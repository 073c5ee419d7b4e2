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

    /// <summary>
    /// One without a part said for ever that it had something to hand over, and was asked for it for ever: a cluster that had just begun
    /// got that from another one, and did not know of it.
    /// </summary>
    [Theory]
    [InlineData(53010963)]
    public void Schedules_that_did_not_come_to_an_end_do(int seed) => Assert.Null(new LatticeMoveSchedule(seed).Run());
}
