using System.Collections.Immutable;

namespace Geo.Directory.Tests;

/// <summary>
/// What each change waits for: asia is added to a cluster of two silos, of which one stands still. The rules that ship make the versions,
/// and directories that ship work with them. The world checks that a grain has one owner.
/// </summary>
public sealed class BarrierTests
{
    private static readonly ClusterId Asia = new("asia"), Eu = new("eu");

    [Fact]
    public void B_a_cluster_is_no_member_while_a_silo_of_another_one_has_not_processed_that_it_comes() =>
        ASiloStandsStillWhileAsiaComes();

    /// <summary>
    /// Who goes by an earlier version asks nobody that could refuse it: no comparison of versions stands behind this rule.
    /// </summary>
    [Fact]
    public void Two_clusters_own_a_grain_where_that_silo_is_not_waited_for()
    {
        SwitchedOff.Set([ProtocolRule.BarrierIsAwaited]);
        try
        {
            var missed = Assert.ThrowsAny<Exception>(ASiloStandsStillWhileAsiaComes);
            Assert.Contains("has 2 owners", missed.ToString(), StringComparison.Ordinal);
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }

    private static void ASiloStandsStillWhileAsiaComes()
    {
        var world = new World(1, "asia", "eu");
        var now = ConfigurationDocument.First(new Guid(1, 0, 0, new byte[8]), [KeyValuePair.Create(Eu, ImmutableArray<string>.Empty)]);
        foreach (var cluster in world.Clusters)
        {
            world.Configurations[cluster] = now.ToConfiguration(cluster);
        }

        World.Run(world, async silos =>
        {
            var (asia, eu) = (silos[0], silos[1]);
            var still = world.AddSilo(Eu, "eu/2");
            await World.StartAsync(still);
            Silo[] awake = [asia, eu], all = [asia, eu, still];
            Go(ConfigurationRules.Add(now, Asia, [], Progress()), awake);
            Assert.Equal(2, asia.Directory.Configuration.Version);
            Go(ConfigurationRules.Continue(now, Progress()), awake);

            // Eu's silo that is awake would let a member pass; the one that stands still asks nobody.
            var asked = await asia.Lane.RunAsync(() => asia.CallAsync(World.Grain));
            var alone = await still.Lane.RunAsync(() => still.CallAsync(World.Grain));
            Assert.Equal((Eu, Eu, GsiState.Invalid), (asked.Cluster, alone.Cluster, asia.Entry(World.Grain).State));

            still.Directory.Process(now.ToConfiguration(Eu));
            Go(ConfigurationRules.Continue(now, Progress()), all);
            Assert.Equal(3, asia.Directory.Configuration.Version);
            var other = new GrainKey("cart", "2");
            Assert.Equal(Asia, (await asia.Lane.RunAsync(() => asia.CallAsync(other))).Cluster);
            Assert.Equal(Asia, (await still.Lane.RunAsync(() => still.CallAsync(other))).Cluster);

            List<ClusterProgress> Progress() => [.. all.GroupBy(silo => silo.Cluster).Select(silos => new ClusterProgress(
                silos.Key, now.Version, now.Digest,
                silos.ToImmutableSortedDictionary(silo => silo.Node, silo => silo.Directory.Configuration.Version, StringComparer.Ordinal),
                Held: 0))];
        });

        // A version takes effect where it is processed, which is what the next one waits for.
        void Go(ConfigurationDecision decision, Silo[] processing)
        {
            if (decision.Next is not { } next)
            {
                Assert.Contains("silo 'eu/2' of cluster 'eu' has processed version 1", decision.Refused, StringComparison.Ordinal);
                return;
            }

            now = next;
            Array.ForEach(processing, silo => silo.Directory.Process(now.ToConfiguration(silo.Cluster)));
        }
    }
}
