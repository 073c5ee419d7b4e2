namespace Geo.Consistency.Tests.VersionedLeader;

public sealed class LeaderChoiceTests
{
    private static readonly ClusterId[] Clusters = [new("ap"), new("eu"), new("us")];

    [Fact]
    public void All_clusters_choose_the_same_leader_and_share_the_grains_about_evenly()
    {
        var counts = new Dictionary<ClusterId, int>();
        for (var i = 0; i < 3_000; i++)
        {
            var leader = Choose(i, Clusters);
            Assert.All(
                Clusters,
                local => Assert.Equal(leader, LeaderChoice.Of(Grain(i), default, [.. Clusters.Where(c => c != local).Reverse(), local])));
            counts[leader] = counts.GetValueOrDefault(leader) + 1;
        }

        Assert.All(Clusters, c => Assert.InRange(counts[c], 850, 1_150));
    }

    [Fact]
    public void A_cluster_that_joins_or_leaves_moves_only_its_own_grains()
    {
        ClusterId added = new("za");
        for (var i = 0; i < 1_000; i++)
        {
            var before = Choose(i, Clusters);
            var after = Choose(i, [.. Clusters, added]);
            Assert.True(after == before || after == added);
        }
    }

    [Fact]
    public void A_named_leader_is_taken_as_it_is() =>
        Assert.Equal(new ClusterId("eu"), LeaderChoice.Of(Grain(1), new("eu"), [new("us"), new("eu"), new("ap")]));

    private static GrainKey Grain(int i) => new("item", $"{i}");

    private static ClusterId Choose(int i, ClusterId[] clusters) => LeaderChoice.Of(Grain(i), default, clusters);
}
