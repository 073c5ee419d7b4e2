using Geo.Directory;

namespace Geo.Storage.Quorum.Tests;

/// <summary>Clusters are given up by force (rule C13) while messages are lost, a change is under way, or others do the same.</summary>
public sealed class ForcedKeepersFaultsTests
{
    private static readonly ClusterId Africa = new("africa");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void A_forced_list_that_no_survivor_has_taken_over_binds_nobody()
    {
        var bench = Bench(RegisterBench.Us, RegisterBench.Eu, RegisterBench.Asia, Africa);
        bench.Run(async () =>
        {
            var us = Open(bench, RegisterBench.Us);
            Array.ForEach([RegisterBench.Eu, RegisterBench.Asia, Africa], c => Open(bench, c));
            await us.WriteAsync("k", new byte[1], null);
            bench.Close(RegisterBench.Asia);
            bench.Close(Africa);

            // One that does not reach eu, and whose word of the new list reaches nobody.
            var (driver, way) = bench.Client("driver");
            way.Passes = (to, request) => to != RegisterBench.Eu && request is not FoundRequest { Stores.IsForced: true };
            await Assert.ThrowsAsync<GeoUnavailableException>(
                async () => Assert.Fail((await driver.ForceRemoveKeepersAsync([RegisterBench.Eu, RegisterBench.Asia, Africa], Stop)).Message));

            way.Passes = (_, _) => true;
            var forced = await us.ForceRemoveKeepersAsync([RegisterBench.Asia, Africa], Stop);
            Assert.True(forced.IsMade, forced.Message);
            Assert.Equal([RegisterBench.Eu, RegisterBench.Us], us.Keepers);
            Assert.Equal(1, (await driver.ReadAsync("k")).Value.Length);
        });
    }

    private static RegisterBench Bench(params ClusterId[] clusters) => new() { Configuration = new(1, clusters) };

    private static QuorumConditionalStore Open(RegisterBench bench, ClusterId cluster) =>
        bench.Open(cluster, new InMemoryConditionalStore());
}
