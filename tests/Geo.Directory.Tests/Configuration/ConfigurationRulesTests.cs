using System.Collections.Immutable;

namespace Geo.Directory.Tests;

/// <summary>The rules of live configuration, one by one (C3 to C6 of the design of regions).</summary>
public sealed class ConfigurationRulesTests
{
    private static readonly ClusterId Us = new("us"), Eu = new("eu"), Asia = new("asia");

    private static readonly ConfigurationDocument Two = ConfigurationDocument.First(
        [new(Us, ["us:1", "us:2"]), new(Eu, [])]);

    [Fact]
    public void A_cluster_joins_in_two_versions()
    {
        var joining = Next(ConfigurationRules.Add(Two, Asia, ["asia:1"], AllAt(1)));
        Assert.Equal((2, ClusterStage.Joining), (joining.Version, joining.Clusters[Asia].Stage));
        Assert.False(joining.ToConfiguration().MayOwn(Asia));
        Assert.True(joining.ToConfiguration().Includes(Asia));

        var member = Next(ConfigurationRules.Continue(joining, AllAt(2)));
        Assert.Equal((3, ClusterStage.Member), (member.Version, member.Clusters[Asia].Stage));
        Assert.Equal("asia:1", Assert.Single(member.Clusters[Asia].EntryPoints));
        Assert.Equal(default, ConfigurationRules.Continue(member, AllAt(3)));
    }

    [Fact]
    public void A_cluster_leaves_in_two_versions_and_goes_when_it_holds_nothing()
    {
        var leaving = Next(ConfigurationRules.Remove(Two, Eu, AllAt(1)));
        Assert.Equal(ClusterStage.Leaving, leaving.Clusters[Eu].Stage);
        Assert.Contains("holds 3 rows", Refused(ConfigurationRules.Continue(leaving, AllAt(2, held: 3))), StringComparison.Ordinal);

        var gone = Next(ConfigurationRules.Continue(leaving, AllAt(2)));
        Assert.Equal((Us, Eu), (Assert.Single(gone.Clusters.Keys), gone.Left));
    }

    [Fact]
    public void A_change_is_refused_with_the_reason_while_the_last_is_not_processed_by_all()
    {
        Assert.Contains("'eu' does not say", Refused(ConfigurationRules.Add(Two, Asia, [], [At(Us, 1)])), StringComparison.Ordinal);
        Assert.Contains(
            "'eu' has version 0", Refused(ConfigurationRules.Remove(Two, Us, [At(Us, 1), At(Eu, 0)])), StringComparison.Ordinal);
        var slow = At(Eu, 1) with { Silos = ImmutableSortedDictionary<string, long>.Empty.Add("fast", 1).Add("slow", 0) };
        Assert.Contains(
            "silo 'slow' of cluster 'eu'", Refused(ConfigurationRules.Reach(Two, Us, [], [At(Us, 1), slow])), StringComparison.Ordinal);
    }

    [Fact]
    public void What_has_gone_must_have_learned_of_it_before_the_next_change()
    {
        var gone = Next(ConfigurationRules.Continue(Next(ConfigurationRules.Remove(Two, Eu, AllAt(1))), AllAt(2)));
        Assert.Contains("'eu' does not say", Refused(ConfigurationRules.Add(gone, Asia, [], [At(Us, 3)])), StringComparison.Ordinal);
        Assert.Equal(4, Next(ConfigurationRules.Add(gone, Asia, [], [At(Us, 3), At(Eu, 3)])).Version);
    }

    [Fact]
    public void One_cluster_comes_or_goes_at_a_time()
    {
        var joining = Next(ConfigurationRules.Add(Two, Asia, [], AllAt(1)));
        Assert.Contains("'asia' is joining", Refused(ConfigurationRules.Remove(joining, Eu, AllAt(2))), StringComparison.Ordinal);
        Assert.Contains(
            "'asia' is joining already", Refused(ConfigurationRules.Add(joining, Asia, [], AllAt(2))), StringComparison.Ordinal);
        Assert.Equal(3, Next(ConfigurationRules.Reach(joining, Asia, ["new:1"], AllAt(2))).Version);
    }

    [Fact]
    public void What_makes_no_sense_is_refused()
    {
        Assert.Contains("no cluster 'asia'", Refused(ConfigurationRules.Remove(Two, Asia, AllAt(1))), StringComparison.Ordinal);
        Assert.Contains("no cluster 'asia'", Refused(ConfigurationRules.Reach(Two, Asia, [], AllAt(1))), StringComparison.Ordinal);
        var one = ConfigurationDocument.First([KeyValuePair.Create(Us, ImmutableArray<string>.Empty)]);
        Assert.Contains("only cluster", Refused(ConfigurationRules.Remove(one, Us, AllAt(1))), StringComparison.Ordinal);
    }

    [Fact]
    public void A_cluster_that_joins_or_leaves_is_told_of_an_owner_and_let_pass_nowhere()
    {
        var joining = Next(ConfigurationRules.Add(Two, Asia, [], AllAt(1))).ToConfiguration();
        var owned = new GsiEntry { State = GsiState.Owned, Node = "n" };
        Assert.Equal(GsiReplyKind.InstanceAt, GsiRules.Answer(owned, Us, Asia, joining, NodeState.Living).Kind);
        Assert.Equal(GsiReplyKind.Fail, GsiRules.Answer(GsiEntry.Invalid, Us, Asia, joining, NodeState.Living).Kind);
        var requested = owned with { State = GsiState.Requested };
        var answer = GsiRules.Answer(requested, Asia, Us, joining, NodeState.Living);
        Assert.Equal(GsiReplyKind.Pass, answer.Kind);
        Assert.Equal((requested, GsiReplyKind.Fail), Pair(GsiRules.Answer(requested, Eu, Asia, joining, NodeState.Living)));
    }

    [Fact]
    public void A_round_of_a_cluster_that_has_begun_to_leave_makes_it_no_owner()
    {
        var leaving = Next(ConfigurationRules.Remove(Two, Eu, AllAt(1))).ToConfiguration();
        var own = new GsiDecision(GsiDecisionKind.Own);
        Assert.Equal(GsiDecisionKind.Refuse, GsiRules.InConfiguration(own, Eu, leaving).Kind);
        Assert.Equal(own, GsiRules.InConfiguration(own, Us, leaving));
        var cache = new GsiDecision(GsiDecisionKind.Cache, Us, "n");
        Assert.Equal(cache, GsiRules.InConfiguration(cache, Eu, leaving));
    }

    [Fact]
    public void A_document_is_read_as_it_was_written_and_a_damaged_one_not_at_all()
    {
        var leaving = Next(ConfigurationRules.Remove(Two, Eu, AllAt(1)));
        var gone = Next(ConfigurationRules.Continue(leaving, AllAt(2)));
        foreach (var document in new[] { Two, leaving, gone })
        {
            var bytes = document.Encode();
            var read = ConfigurationDocument.Decode(bytes);
            Assert.Equal(bytes, read.Encode());
            Assert.Equal((document.Version, document.Left), (read.Version, read.Left));
            Assert.Equal(document.ToConfiguration(), read.ToConfiguration());
            for (var length = 0; length < bytes.Length; length++)
            {
                Assert.Throws<GeoSerializationException>(() => ConfigurationDocument.Decode(bytes.AsSpan(0, length)));
            }
        }
    }

    private static (GsiEntry, GsiReplyKind) Pair(GsiAnswer answer) => (answer.Entry, answer.Kind);

    private static ConfigurationDocument Next(ConfigurationDecision decision)
    {
        Assert.Null(decision.Refused);
        return decision.Next!;
    }

    private static string Refused(ConfigurationDecision decision)
    {
        Assert.Null(decision.Next);
        return decision.Refused!;
    }

    private static List<ClusterProgress> AllAt(long version, long held = 0) =>
        [At(Us, version, held), At(Eu, version, held), At(Asia, version, held)];

    private static ClusterProgress At(ClusterId cluster, long version, long held = 0) =>
        new(cluster, version, ImmutableSortedDictionary<string, long>.Empty.Add("silo", version), held);
}
