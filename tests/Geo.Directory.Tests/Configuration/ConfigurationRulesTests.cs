using System.Collections.Immutable;

namespace Geo.Directory.Tests;

/// <summary>The rules of live configuration, one by one (C3 to C6 of the design of regions).</summary>
public sealed class ConfigurationRulesTests
{
    private static readonly ClusterId Us = new("us"), Eu = new("eu"), Asia = new("asia");

    private static readonly ConfigurationDocument Two = ConfigurationDocument.First(
        Guid.Empty, [new(Us, ["us:1", "us:2"]), new(Eu, [])]);

    [Fact]
    public void A_cluster_joins_in_two_versions()
    {
        var joining = Next(Rules.Add(Two, Asia, ["asia:1"], AllAt(1)));
        Assert.Equal((2, ClusterStage.Joining), (joining.Version, joining.Clusters[Asia].Stage));
        Assert.False(joining.ToConfiguration(Us).MayOwn(Asia));
        Assert.True(joining.ToConfiguration(Us).Includes(Asia));

        var member = Next(Rules.Continue(joining, AllAt(2)));
        Assert.Equal((3, ClusterStage.Member), (member.Version, member.Clusters[Asia].Stage));
        Assert.Equal("asia:1", Assert.Single(member.Clusters[Asia].EntryPoints));
        Assert.Equal(default, Rules.Continue(member, AllAt(3)));
    }

    [Fact]
    public void A_cluster_leaves_in_two_versions_and_goes_when_it_holds_nothing()
    {
        var leaving = Next(Rules.Remove(Two, Eu, AllAt(1)));
        Assert.Equal(ClusterStage.Leaving, leaving.Clusters[Eu].Stage);
        Assert.Contains("holds 3 rows", Refused(Rules.Continue(leaving, AllAt(2, held: 3))), StringComparison.Ordinal);
        Assert.Contains(
            "has not counted yet", Refused(Rules.Continue(leaving, AllAt(2, held: null))), StringComparison.Ordinal);

        var gone = Next(Rules.Continue(leaving, AllAt(2)));
        Assert.Equal(Us, Assert.Single(gone.Clusters.Keys));
    }

    [Fact]
    public void C8_a_drain_says_what_is_left_and_why()
    {
        var leaving = Next(Rules.Remove(Two, Eu, AllAt(1)));
        var stuck = At(Eu, 2, held: 1) with { Why = "the directory's row 'gsi/cart/05' is damaged" };
        Assert.EndsWith(
            "'eu' holds 1 rows still: the directory's row 'gsi/cart/05' is damaged",
            Refused(Rules.Continue(leaving, [At(Us, 2), stuck])), StringComparison.Ordinal);
        var uncounted = At(Eu, 2, held: null) with { Why = "the store does not answer" };
        Assert.EndsWith(
            "which rows it holds: the store does not answer",
            Refused(Rules.Continue(leaving, [At(Us, 2), uncounted])), StringComparison.Ordinal);
        Assert.Equal(stuck.Why, ClusterProgress.Decode(Eu, stuck.Encode()).Why);
    }

    [Fact]
    public void A_change_is_refused_with_the_reason_while_the_last_is_not_processed_by_all()
    {
        Assert.Contains("'eu' does not say", Refused(Rules.Add(Two, Asia, [], [At(Us, 1)])), StringComparison.Ordinal);
        Assert.Contains(
            "'eu' has version 0", Refused(Rules.Remove(Two, Us, [At(Us, 1), At(Eu, 0)])), StringComparison.Ordinal);
        var slow = At(Eu, 1) with { Silos = ImmutableSortedDictionary<string, long>.Empty.Add("fast", 1).Add("slow", 0) };
        Assert.Contains(
            "silo 'slow' of cluster 'eu'", Refused(Rules.Reach(Two, Us, [], [At(Us, 1), slow])), StringComparison.Ordinal);
    }

    [Fact]
    public void What_has_gone_is_waited_for_by_nobody()
    {
        var gone = Next(Rules.Continue(Next(Rules.Remove(Two, Eu, AllAt(1))), AllAt(2)));
        Assert.Equal(4, Next(Rules.Add(gone, Asia, [], [At(Us, 3), At(Eu, 2), At(Asia, 3)])).Version);
    }

    [Fact]
    public void A_cluster_is_added_when_it_runs_and_holds_nothing()
    {
        List<ClusterProgress> members = [At(Us, 1), At(Eu, 1)];
        var silent = Refused(Rules.Add(Two, Asia, [], members));
        Assert.Contains("'asia' does not say that it runs", silent, StringComparison.Ordinal);
        var holding = Refused(Rules.Add(Two, Asia, [], [.. members, At(Asia, 1, held: 2)]));
        Assert.Contains("'asia' holds 2 rows", holding, StringComparison.Ordinal);
        var empty = At(Asia, 1) with { Silos = ImmutableSortedDictionary<string, long>.Empty };
        Assert.Equal(silent, Refused(Rules.Add(Two, Asia, [], [.. members, empty])));
        var damaged = ClusterProgress.Unread(Asia, "geo/configuration/asia", "cut off", UnreadRow.Damaged);
        Assert.Contains("is damaged (cut off)", Refused(Rules.Add(Two, Asia, [], [.. members, damaged])), StringComparison.Ordinal);
    }

    [Fact]
    public void C12_what_is_lost_for_ever_is_taken_out_at_once_and_waits_for_none_that_is_lost_too()
    {
        var three = Two with { Clusters = Two.Clusters.Add(Asia, new(ClusterStage.Member, [])) };
        Assert.Equal(Us, Assert.Single(Next(Rules.Force(three, [Eu, Asia], [At(Us, 1)])).Clusters.Keys));
        var behind = Refused(Rules.Force(three, [Eu], [At(Us, 1)]));
        Assert.Contains("'asia' does not say", behind, StringComparison.Ordinal);
        Assert.Contains("name it together", behind, StringComparison.Ordinal);
        Assert.Contains("no member", Refused(Rules.Force(Two, [Eu, Us], [])), StringComparison.Ordinal);
        Assert.Contains("no cluster is named", Refused(Rules.Force(Two, [], AllAt(1))), StringComparison.Ordinal);
        Assert.Contains("no cluster 'asia'", Refused(Rules.Force(Two, [Asia], AllAt(1))), StringComparison.Ordinal);
        var leaving = Next(Rules.Remove(Two, Eu, AllAt(1)));
        Assert.Contains("no member", Refused(Rules.Force(leaving, [Us], AllAt(2))), StringComparison.Ordinal);
    }

    [Fact]
    public void C11_a_store_that_was_set_back_or_is_another_one_is_not_followed()
    {
        var later = Next(Rules.Remove(Two, Eu, AllAt(1)));
        var rival = Next(Rules.Remove(Two, Us, AllAt(1)));
        Assert.Null(ConfigurationTrust.Distrust(null, null));
        Assert.Null(ConfigurationTrust.Distrust(Two, Two));
        Assert.Null(ConfigurationTrust.Distrust(Two, later));
        Assert.Contains("is empty", ConfigurationTrust.Distrust(Two, null), StringComparison.Ordinal);
        Assert.Contains("set back", ConfigurationTrust.Distrust(later, Two), StringComparison.Ordinal);
        Assert.Contains("set back", ConfigurationTrust.Distrust(later, rival), StringComparison.Ordinal);
        var other = later with { Lineage = new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) };
        Assert.Contains("another configuration", ConfigurationTrust.Distrust(Two, other), StringComparison.Ordinal);
    }

    [Fact]
    public void Only_neighbouring_versions_of_one_live_configuration_work_together()
    {
        var (one, two) = (new ConfigurationStamp(1, 7), new ConfigurationStamp(2, 8, Previous: 7));
        Assert.Null(one.ConflictWith(one));
        Assert.Null(one.ConflictWith(two));
        Assert.Null(new ConfigurationStamp(1, 0).ConflictWith(new(5, 0)));
        Assert.Contains("do not work together", one.ConflictWith(new(3, 9)), StringComparison.Ordinal);
        Assert.Contains("two versions 1", one.ConflictWith(new(1, 9)), StringComparison.Ordinal);
        Assert.Contains("ConfigurationStore", one.ConflictWith(new(1, 0)), StringComparison.Ordinal);
        var fromABackup = new ConfigurationStamp(2, 9, Previous: 6);
        Assert.Contains("was not made from the version 1", one.ConflictWith(fromABackup), StringComparison.Ordinal);
        Assert.Equal(one.ConflictWith(fromABackup), fromABackup.ConflictWith(one));
    }

    [Fact]
    public void A_document_that_was_made_from_a_backup_is_told_from_one_that_follows()
    {
        var known = Next(Rules.Reach(Two, Eu, ["known"], AllAt(1)));
        var (later, rival) = (Reached(known), Reached(Next(Rules.Reach(Two, Eu, ["rival"], AllAt(1)))));
        for (; later.Version < 300; (later, rival) = (Reached(later), Reached(rival)))
        {
            rival = ConfigurationDocument.Decode(rival.Encode());
            Assert.Contains("set back to a backup", ConfigurationTrust.Distrust(known, rival), StringComparison.Ordinal);
            Assert.NotNull(known.ToConfiguration(Us).Stamp.ConflictWith(rival.ToConfiguration(Us).Stamp));

            // What is more than 256 versions behind is not known to be an ancestor.
            Assert.Equal(later.Version <= known.Version + 256, later.Follows(known));
            Assert.Equal(later.Follows(known), ConfigurationTrust.Distrust(known, later) is null);
        }

        Assert.Null(known.ToConfiguration(Us).Stamp.ConflictWith(Reached(known).ToConfiguration(Us).Stamp));

        static ConfigurationDocument Reached(ConfigurationDocument from) =>
            Next(Rules.Reach(from, Us, [$"{from.Version}"], AllAt(from.Version)));
    }

    [Fact]
    public void A_cluster_that_is_not_in_the_document_owns_nothing_and_asks_all_others()
    {
        var outside = Two.ToConfiguration(Asia);
        Assert.False(outside.MayOwn(Asia));
        Assert.Equal([Eu, Us], outside.Others(Asia));
        Assert.False(Two.ToConfiguration(Us).Includes(Asia));
    }

    [Fact]
    public void The_word_of_a_cluster_is_read_as_it_was_written()
    {
        foreach (var word in new[] { At(Us, 3, held: 4), At(Us, 3, held: null) })
        {
            var bytes = word.Encode();
            var read = ClusterProgress.Decode(Us, bytes);
            Assert.Equal((word.Stored, word.Held, word.Silos["silo"]), (read.Stored, read.Held, read.Silos["silo"]));
            Assert.Throws<GeoSerializationException>(() => ClusterProgress.Decode(Us, bytes.AsSpan(0, bytes.Length - 1)));
        }
    }

    [Fact]
    public void One_cluster_comes_or_goes_at_a_time()
    {
        var joining = Next(Rules.Add(Two, Asia, [], AllAt(1)));
        Assert.Contains("'asia' is joining", Refused(Rules.Remove(joining, Eu, AllAt(2))), StringComparison.Ordinal);
        Assert.Contains(
            "'asia' is joining already", Refused(Rules.Add(joining, Asia, [], AllAt(2))), StringComparison.Ordinal);
        Assert.Equal(3, Next(Rules.Reach(joining, Asia, ["new:1"], AllAt(2))).Version);
    }

    [Fact]
    public void What_makes_no_sense_is_refused()
    {
        Assert.Contains("no cluster 'asia'", Refused(Rules.Remove(Two, Asia, AllAt(1))), StringComparison.Ordinal);
        Assert.Contains("no cluster 'asia'", Refused(Rules.Reach(Two, Asia, [], AllAt(1))), StringComparison.Ordinal);
        var one = ConfigurationDocument.First(Guid.Empty, [KeyValuePair.Create(Us, ImmutableArray<string>.Empty)]);
        Assert.Contains("only cluster", Refused(Rules.Remove(one, Us, AllAt(1))), StringComparison.Ordinal);
    }

    [Fact]
    public void A_cluster_that_joins_or_leaves_is_told_of_an_owner_and_let_pass_nowhere()
    {
        var joining = Next(Rules.Add(Two, Asia, [], AllAt(1))).ToConfiguration(Us);
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
        var leaving = Next(Rules.Remove(Two, Eu, AllAt(1))).ToConfiguration(Us);
        var own = new GsiDecision(GsiDecisionKind.Own);
        Assert.Equal(GsiDecisionKind.Refuse, GsiRules.InConfiguration(own, Eu, leaving).Kind);
        Assert.Equal(GsiDecisionKind.Refuse, GsiRules.InConfiguration(new(GsiDecisionKind.Doubt), Eu, leaving).Kind);
        Assert.Equal(own, GsiRules.InConfiguration(own, Us, leaving));
        var cache = new GsiDecision(GsiDecisionKind.Cache, Us, "n");
        Assert.Equal(cache, GsiRules.InConfiguration(cache, Eu, leaving));
    }

    [Fact]
    public void A_document_is_read_as_it_was_written_and_a_damaged_one_not_at_all()
    {
        var leaving = Next(Rules.Remove(Two, Eu, AllAt(1)));
        var gone = Next(Rules.Continue(leaving, AllAt(2)));
        foreach (var document in new[] { Two, leaving, gone })
        {
            var bytes = document.Encode();
            var read = ConfigurationDocument.Decode(bytes);
            Assert.Equal(bytes, read.Encode());
            Assert.Equal((document.Version, document.Digest), (read.Version, read.Digest));
            Assert.Equal(document.ToConfiguration(Us), read.ToConfiguration(Us));
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

    private static List<ClusterProgress> AllAt(long version, long? held = 0) =>
        [At(Us, version, held), At(Eu, version, held), At(Asia, version, held)];

    private static ClusterProgress At(ClusterId cluster, long version, long? held = 0) =>
        new(cluster, version, 0, ImmutableSortedDictionary<string, long>.Empty.Add("silo", version), held);

    /// <summary>The rules, with what clusters say being of the document, and of those that it was made from.</summary>
    private static class Rules
    {
        public static ConfigurationDecision Add(
            ConfigurationDocument now, ClusterId cluster, ImmutableArray<string> entryPoints, List<ClusterProgress> progress) =>
            ConfigurationRules.Add(now, cluster, entryPoints, Of(now, progress));

        public static ConfigurationDecision Remove(ConfigurationDocument now, ClusterId cluster, List<ClusterProgress> progress) =>
            ConfigurationRules.Remove(now, cluster, Of(now, progress));

        public static ConfigurationDecision Reach(
            ConfigurationDocument now, ClusterId cluster, ImmutableArray<string> entryPoints, List<ClusterProgress> progress) =>
            ConfigurationRules.Reach(now, cluster, entryPoints, Of(now, progress));

        public static ConfigurationDecision Force(
            ConfigurationDocument now, IReadOnlyCollection<ClusterId> lost, List<ClusterProgress> progress) =>
            ConfigurationRules.Force(now, lost, Of(now, progress));

        public static ConfigurationDecision Continue(ConfigurationDocument now, List<ClusterProgress> progress) =>
            ConfigurationRules.Continue(now, Of(now, progress));

        private static List<ClusterProgress> Of(ConfigurationDocument now, List<ClusterProgress> progress) =>
            [.. progress.Select(p => p with { Digest = now.DigestOf(p.Stored) ?? 0 })];
    }
}
