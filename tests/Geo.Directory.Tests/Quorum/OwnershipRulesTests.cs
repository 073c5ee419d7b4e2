namespace Geo.Directory.Tests;

/// <summary>Who may take a grain of the mode Quorum, rule by rule (Q4, Q5, Q7 and Q8 of the design of regions).</summary>
public sealed class OwnershipRulesTests
{
    private static readonly ClusterId Us = new("us");
    private static readonly ClusterId Eu = new("eu");
    private static readonly OwnerRow Row = new(Us, "us/1", "lease-1", 7);
    private static readonly DateTimeOffset Now = DateTimeOffset.UnixEpoch.AddSeconds(3);

    [Fact]
    public void A_row_is_nobodys_when_there_is_none_it_is_given_back_its_lease_is_over_or_it_is_the_silos_own()
    {
        Assert.False(OwnershipRules.IsVacant(Row, "lease-2", isOver: false));
        Assert.True(OwnershipRules.IsVacant(null, "lease-2", isOver: false));
        Assert.True(OwnershipRules.IsVacant(Row with { IsReleased = true }, "lease-2", isOver: false));
        Assert.True(OwnershipRules.IsVacant(Row, "lease-1", isOver: false));
        Assert.True(OwnershipRules.IsVacant(Row, "lease-2", isOver: true));
    }

    [Fact]
    public void A_tenancy_has_a_higher_epoch_than_the_one_before_and_the_first_one_the_time()
    {
        Assert.Equal(new OwnerRow(Eu, "eu/1", "lease-2", 8), OwnershipRules.Begin(Row, Eu, "eu/1", "lease-2", Now));
        Assert.Equal(new OwnerRow(Eu, "eu/1", "lease-2", 3_000_000), OwnershipRules.Begin(null, Eu, "eu/1", "lease-2", Now));
        Assert.Equal(1, OwnershipRules.EpochAt(DateTimeOffset.UnixEpoch.AddYears(-1)));
    }

    [Fact]
    public void A_tenancy_moves_only_from_the_silo_that_has_it_and_as_the_one_that_it_is()
    {
        Assert.True(OwnershipRules.MayMove(Row, Us, "us/1", 7));
        Assert.True(OwnershipRules.MayMove(Row, Us, "us/1", null));
        Assert.False(OwnershipRules.MayMove(Row, Us, "us/1", 6));
        Assert.False(OwnershipRules.MayMove(Row, Us, "us/2", 7));
        Assert.False(OwnershipRules.MayMove(Row, Eu, "us/1", 7));
        Assert.False(OwnershipRules.MayMove(Row with { IsReleased = true }, Us, "us/1", 7));
        Assert.False(OwnershipRules.MayMove(null, Us, "us/1", 7));
    }

    [Fact]
    public void A_lease_is_waited_for_by_a_tenth_longer_than_it_lasts() =>
        Assert.Equal(TimeSpan.FromSeconds(8), OwnershipRules.LeftOf(TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(3)));
}
