namespace Geo.Consistency.Tests.BatchedCas.Rules;

/// <summary>The rules of batching compare-and-swap one by one; what they promise together is explored (CasExplorationTests).</summary>
public sealed class BatchedCasRulesTests
{
    private const long Own = 1;
    private const long Other = 2;

    private static readonly AppliedTable Applied = AppliedTable.Empty.With(Own, 4, 7, 8).With(Other, 9, 8, 8);

    /// <summary>Version 8, in which there are own updates up to number 4; two more wait.</summary>
    private static readonly CasState Loaded = CasState.Initial with
    {
        IsLoaded = true,
        ETag = new ETag("8"),
        Version = 8,
        Applied = Applied,
        Writer = new(new("us"), Other),
    };

    [Fact]
    public void What_is_not_known_is_read_before_anything_is_written_and_where_nothing_is_to_be_done_nothing_is()
    {
        Assert.Equal(CasStep.Read, Next(CasState.Initial, hasUpdates: true));
        Assert.Equal(CasStep.Read, Next(Loaded with { MustRead = true }, hasUpdates: true));
        Assert.Equal(CasStep.Write, Next(Loaded, hasUpdates: true));
        Assert.Equal(CasStep.Write, Next(Loaded, hasUpdates: true, wantsRefresh: true));
        Assert.Equal(CasStep.Read, Next(Loaded, wantsRefresh: true));
        Assert.Equal(CasStep.Idle, Next(Loaded));
    }

    [Fact]
    public void Who_is_faulted_waits_until_it_is_to_try_again_and_reads_then()
    {
        var faulted = BatchedCasRules.Faulted(Loaded with { Failures = 3 });

        Assert.Equal((true, true, 0), (faulted.IsFaulted, faulted.MustRead, faulted.Failures));
        Assert.Equal(CasStep.Idle, Next(faulted, hasUpdates: true, wantsRefresh: true));
        Assert.Equal(CasStep.Read, Next(faulted, triesAgain: true));
    }

    [Theory]
    [InlineData(true, 2, true)]
    [InlineData(true, 1, false)]
    [InlineData(false, 2, false)]
    public void Contenders_spread_out_from_the_second_conflict_on(bool mustRead, int conflicts, bool spreadsOut) =>
        Assert.Equal(spreadsOut, BatchedCasRules.SpreadsOut(Loaded with { MustRead = mustRead, Conflicts = conflicts }));

    [Fact]
    public void A_write_that_was_applied_is_the_version_known_and_ends_all_doubt()
    {
        var applied = Applied.With(Own, 6, 10, 8);

        var next = BatchedCasRules.WriteApplied(
            Loaded with { WrittenThrough = 6, Failures = 2, Conflicts = 3 }, new ETag("10"), new(10, applied, new(new("eu"), Own), 2, []));

        Assert.Equal(Loaded with { ETag = new ETag("10"), Version = 10, Applied = applied, Writer = new(new("eu"), Own) }, next);
    }

    [Fact]
    public void A_write_that_met_a_newer_version_may_have_been_applied_all_the_same()
    {
        var next = BatchedCasRules.WriteConflicted(Loaded with { WrittenThrough = 5, Failures = 2, Conflicts = 1 }, 6);

        Assert.Equal(Loaded with { WrittenThrough = 6, MustRead = true, Conflicts = 2 }, next);
        Assert.Equal(5, BatchedCasRules.WriteConflicted(Loaded with { WrittenThrough = 5 }, 0).WrittenThrough);
    }

    [Fact]
    public void A_write_of_unknown_outcome_may_have_been_applied()
    {
        var next = BatchedCasRules.WriteUnknown(Loaded with { WrittenThrough = 5, Failures = 2, Conflicts = 1 }, 6);

        Assert.Equal(Loaded with { WrittenThrough = 6, MustRead = true, Failures = 3, Conflicts = 1 }, next);
        Assert.Equal(5, BatchedCasRules.WriteUnknown(Loaded with { WrittenThrough = 5 }, 0).WrittenThrough);
    }

    [Fact]
    public void What_else_happens_changes_what_it_is_about_and_nothing_more()
    {
        Assert.Equal(Loaded with { Failures = 1 }, BatchedCasRules.ReadFailed(Loaded));
        Assert.Equal(Loaded, BatchedCasRules.Rested(Loaded with { Conflicts = 2 }));
        Assert.Equal(Loaded with { HandedThrough = 6 }, BatchedCasRules.HandedIn(Loaded with { HandedThrough = 5 }, 6));
        Assert.Equal(Loaded with { HandedThrough = 5 }, BatchedCasRules.HandedIn(Loaded with { HandedThrough = 5 }, 4));
        Assert.Equal(Loaded with { MustRead = true }, BatchedCasRules.HandInFailed(Loaded with { Conflicts = 2 }));
        Assert.Equal(Loaded with { MustRead = true }, BatchedCasRules.Announced(Loaded, 9));
        Assert.Equal(Loaded, BatchedCasRules.Announced(Loaded, 8));
    }

    [Fact]
    public void The_version_that_is_known_is_no_news_and_leaves_a_write_in_doubt()
    {
        var doubting = Loaded with { MustRead = true, IsFaulted = true, Failures = 3, WrittenThrough = 6, Conflicts = 2 };

        var seen = BatchedCasRules.Observe(doubting, Loaded.Row, Own, _ => throw new InvalidOperationException());

        Assert.Equal(new(doubting with { MustRead = false, IsFaulted = false }, CasVerdict.Unchanged, 0, 0, false), seen);
        Assert.Equal(0, BatchedCasRules.Observe(doubting with { WrittenThrough = 0 }, Loaded.Row, Own, _ => 0).Next.Failures);
    }

    [Theory]
    [InlineData(6, 10, 2, false)]
    [InlineData(5, 10, 1, true)]
    [InlineData(4, 9, 0, true)]
    public void A_newer_version_says_by_its_numbers_which_own_updates_are_in_it(long number, long version, int landed, bool isForeign)
    {
        var before = Loaded with { MustRead = true, IsFaulted = true, Failures = 3, WrittenThrough = 6, Conflicts = 2 };
        var applied = number == 4 ? Applied.With(Other, 10, version, 8) : Applied.With(Other, 10, version, 8).With(Own, number, version, 8);
        CasRow row = new(new ETag($"{version}"), version, applied, new(new("us"), Other));

        var seen = BatchedCasRules.Observe(before, row, Own, through => (int)(through - 4));

        var next = Loaded with { ETag = row.ETag, Version = version, Applied = applied, Conflicts = 2 };
        Assert.Equal(new(next, CasVerdict.Newer, landed, 0, isForeign), seen);
    }

    [Fact]
    public void Where_the_own_number_may_have_been_displaced_since_the_outcome_of_what_was_sent_is_lost()
    {
        var displaced = AppliedTable.Empty.With(Own, 5, 9, 1).With(Other, 10, 11, 1);
        CasRow row = new(new ETag("11"), 11, displaced, new(new("us"), Other));
        var sent = Loaded with { WrittenThrough = 5, HandedThrough = 6, Applied = AppliedTable.Empty };

        Assert.Equal((0, 2), Ends(sent));
        Assert.Equal((0, 0), Ends(sent with { Version = 9 }));

        (int, int) Ends(CasState state)
        {
            var seen = BatchedCasRules.Observe(state, row, Own, through => (int)(through - 4));
            return (seen.Landed, seen.InDoubt);
        }
    }

    [Fact]
    public void A_row_that_cannot_have_come_of_the_version_known_is_another_history()
    {
        var grown = Applied.With(Other, 10, 9, 8);
        CasRow[] replaced =
        [
            new(null, 0, AppliedTable.Empty, default),
            new(null, 9, grown, default),
            new(new ETag("x"), 8, grown, default),
            new(new ETag("x"), 9, AppliedTable.Empty.With(Other, 10, 9, 8), default),
            new(Loaded.ETag, 9, grown, default),
            new(Loaded.ETag, Loaded.Version, Loaded.Applied, new(new("eu"), Own)),
        ];
        foreach (var row in replaced)
        {
            Assert.Equal(new(Loaded, CasVerdict.Replaced, 0, 0, true), BatchedCasRules.Observe(Loaded, row, Own, _ => 0));
            Assert.Equal(CasVerdict.Newer, BatchedCasRules.Observe(CasState.Initial, row, Own, _ => 0).Verdict);
        }

        Assert.Equal(CasVerdict.Newer, BatchedCasRules.Observe(Loaded, new(new ETag("x"), 9, grown, default), Own, _ => 0).Verdict);
    }

    private static CasStep Next(CasState state, bool hasUpdates = false, bool wantsRefresh = false, bool triesAgain = false) =>
        BatchedCasRules.Next(state, hasUpdates, wantsRefresh, triesAgain);
}
