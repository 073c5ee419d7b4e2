namespace Geo.Consistency.Tests.VersionedLeader.Rules;

/// <summary>What a leader does with the updates that an instance sends, rule by rule.</summary>
public sealed class BatchRulesTests
{
    private const long Ann = 2;
    private const long Other = 3;

    private static readonly Term Led = new(1, new("a"), 1);

    /// <summary>Version 10 of a term that began at version 0, in which there are Ann's updates up to number 4.</summary>
    private static readonly ReplicaLog Log = ReplicaLog.Nothing.Begin(Led) with
    {
        Step = 6,
        Version = 10,
        Applied = AppliedTable.Empty.With(Ann, new BatchNumber(4, false).Encoded, 6, 8),
    };

    [Theory]
    [InlineData(5, 3, 0, 3)]
    [InlineData(4, 3, 1, 2)]
    [InlineData(1, 3, 3, 0)]
    [InlineData(1, 4, 4, 0)]
    [InlineData(9, 2, 0, 2)]
    [InlineData(5, 0, 0, 0)]
    public void What_was_decided_before_is_skipped_and_the_rest_applied(long first, int count, int skip, int apply) =>
        Assert.Equal(new(false, skip, apply, false), BatchRules.Decide(Batch(first, count), Log));

    [Fact]
    public void The_first_updates_of_an_instance_are_applied() =>
        Assert.Equal(new(false, 0, 2, false), BatchRules.Decide(Batch(1, 2) with { Instance = Other }, Log));

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public void Behind_a_refusal_that_the_instance_has_not_heard_of_nothing_is_applied(bool isRefused, bool isUnwritable)
    {
        var log = Log with { Applied = AppliedTable.Empty.With(Ann, new BatchNumber(4, isRefused, isUnwritable).Encoded, 6, 8) };

        Assert.Equal(new(false, 3, 0, false), BatchRules.Decide(Batch(4, 3), log));
        Assert.Equal(new(false, 0, 3, false), BatchRules.Decide(Batch(5, 3), log));
    }

    [Fact]
    public void Where_the_instances_number_may_have_been_displaced_since_the_first_sending_nothing_is_decided()
    {
        // Ann's number made step 6 and was displaced.
        var log = Log with { Applied = Log.Applied.With(Other, new BatchNumber(1, false).Encoded, 7, 1) };

        Assert.Equal(new(true, 0, 0, false), BatchRules.Decide(Batch(5, 1) with { Since = 5 }, log));
        Assert.Equal(new(false, 0, 1, false), BatchRules.Decide(Batch(5, 1) with { Since = 6 }, log));
        Assert.Equal(new(false, 0, 0, false), BatchRules.Decide(Batch(5, 0) with { Since = 5 }, log));
        Assert.Equal(new(false, 0, 1, false), BatchRules.Decide(Batch(5, 1) with { Since = 5, Instance = Other }, log));
    }

    [Theory]
    [InlineData(12, 10, true)]
    [InlineData(11, 10, false)]
    [InlineData(12, 9, true)]
    [InlineData(12, 11, false)]
    public void A_condition_holds_on_the_version_expected_in_the_history_that_it_was_raised_on(long expected, long basis, bool holds)
    {
        var batch = Batch(5, 3) with { Conditional = 1, Expected = expected, Base = new(Led, basis) };

        Assert.Equal(holds ? new(false, 0, 3, false) : new(false, 0, 2, true), BatchRules.Decide(batch, Log));
    }

    [Fact]
    public void A_condition_raised_on_another_history_is_refused()
    {
        var batch = Batch(5, 1) with { Conditional = 1, Expected = 10, Base = new(new(1, new("b"), 1), 10) };

        Assert.Equal(new(false, 0, 0, true), BatchRules.Decide(batch, Log));
    }

    [Fact]
    public void Of_a_conditional_group_that_was_decided_in_part_the_rest_is_judged_by_the_version_that_there_is()
    {
        var batch = Batch(4, 2) with { Conditional = 2, Expected = 10, Base = new(Led, 10) };

        Assert.Equal(new(false, 1, 1, false), BatchRules.Decide(batch, Log));
        Assert.Equal(new(false, 1, 0, false), BatchRules.Decide(batch with { Count = 1, Conditional = 1 }, Log));
    }

    [Theory]
    [InlineData(0, false, false)]
    [InlineData(7, true, false)]
    [InlineData(long.MaxValue >> 2, false, true)]
    public void A_number_is_read_as_it_was_written(long last, bool isRefused, bool isUnwritable)
    {
        var number = new BatchNumber(last, isRefused, isUnwritable);

        Assert.Equal(number, BatchNumber.Decode(number.Encoded));
    }

    [Fact]
    public void The_last_number_of_a_batch_is_that_of_its_last_update() => Assert.Equal(7, Batch(5, 3).LastSequence);

    private static UpdateBatch Batch(long first, int count) => new(Ann, 6, first, count, 0, default, 0);
}
