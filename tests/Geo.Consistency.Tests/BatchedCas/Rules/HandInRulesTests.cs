namespace Geo.Consistency.Tests.BatchedCas.Rules;

/// <summary>The rules of handing updates in to another instance one by one; together they are explored (CasExplorationTests).</summary>
public sealed class HandInRulesTests
{
    private const long Own = 1;
    private const long Ann = 2;
    private const long Bea = 3;

    private static readonly ClusterId Here = new("here");
    private static readonly ClusterId There = new("there");
    private static readonly CasWriter Self = new(Here, Own);

    private static readonly CasState Loaded = CasState.Initial with
    {
        IsLoaded = true,
        ETag = new ETag("8"),
        Version = 8,
        Applied = AppliedTable.Empty.With(Ann, 4, 8, 8),
        Writer = new(There, Ann),
    };

    private static readonly CasPace Calm = CasPace.Initial;
    private static readonly CasPace Contended = Calm.Took(Ms(100)).Saw(new(There, Ann), Own, Ms(0)).Saw(new(There, Ann), Own, Ms(10));
    private static readonly CasPace Near = Contended.Helped(Ms(20));

    [Fact]
    public void Another_cluster_is_asked_after_so_many_conflicts_or_where_it_is_faster_unless_it_did_not_help_lately()
    {
        Assert.True(Asks(Loaded with { Conflicts = 2 }, Calm));
        Assert.True(Asks(Loaded, Contended));
        Assert.False(Asks(Loaded with { Conflicts = 1 }, Calm));
        Assert.False(Asks(Loaded with { Writer = default }, Contended));
        Assert.False(Asks(Loaded with { Writer = new(Here, Bea) }, Contended));
        Assert.False(Asks(Loaded with { Conflicts = 2 }, Contended.HelpsItself(1)));

        static bool Asks(CasState state, CasPace pace) => HandInRules.Asks(state, Here, pace, Ms(10), after: 2);
    }

    [Fact]
    public void Another_cluster_is_asked_for_the_version_where_that_takes_little_longer_and_the_own_one_is_no_guess()
    {
        Assert.True(Asks(Loaded, Near));
        Assert.False(Asks(Loaded with { IsLoaded = false }, Near));
        Assert.False(Asks(Loaded with { MustRead = true }, Near));
        Assert.False(Asks(Loaded with { IsFaulted = true }, Near));
        Assert.False(Asks(Loaded with { Writer = default }, Near));
        Assert.False(Asks(Loaded with { Writer = new(Here, Bea) }, Near));
        Assert.False(Asks(Loaded, Near.HelpsItself(1)));
        Assert.False(Asks(Loaded, Contended));
        Assert.False(Asks(Loaded, Calm.Took(Ms(100)).Helped(Ms(20))));

        static bool Asks(CasState state, CasPace pace) => HandInRules.AsksForVersion(state, Here, pace, Ms(10));
    }

    [Theory]
    [InlineData("", 0)]
    [InlineData("u", 1)]
    [InlineData("uu", 2)]
    [InlineData("uc", 2)]
    [InlineData("cu", 1)]
    [InlineData("ucc", 2)]
    public void A_hand_in_ends_with_its_first_condition(string groups, int offered) => Assert.Equal(
        offered, HandInRules.Offered([.. groups.Select((kind, i) => new HandInGroup(i + 1, 1, kind == 'c' ? 9 : null))]));

    [Fact]
    public void Who_wrote_last_helps_while_it_knows_what_is_stored()
    {
        var wrote = Loaded with { Writer = Self };

        Assert.True(HandInRules.Helps(wrote, Own));
        Assert.False(HandInRules.Helps(wrote, Ann));
        Assert.False(HandInRules.Helps(wrote with { IsLoaded = false }, Own));
        Assert.False(HandInRules.Helps(wrote with { IsFaulted = true }, Own));
    }

    [Fact]
    public void What_was_handed_in_is_in_the_row_when_its_last_number_is()
    {
        Assert.True(HandInRules.IsIn(Loaded, Guest(Ann, new HandInGroup(4, 1, null))));
        Assert.False(HandInRules.IsIn(Loaded, Guest(Ann, new HandInGroup(4, 2, null))));
        Assert.False(HandInRules.IsIn(Loaded, Guest(Bea, new HandInGroup(1, 1, null))));
    }

    [Theory]
    [InlineData(10, 3, 2, 12, 7)]
    [InlineData(10, 10, 10, 12, 4)]
    [InlineData(1, 10, 10, 12, 1)]
    [InlineData(10, 1, 10, 12, 5)]
    [InlineData(10, 0, 0, 8, 8)]
    public void Room_is_shared_so_that_nobody_has_less_than_another_who_wants_more(int own, int ann, int bea, int room, int share) =>
        Assert.Equal(share, HandInRules.OwnShare(own, [Guest(Ann, Many(ann)), Guest(Bea, Many(bea))], room));

    [Fact]
    public void A_write_carries_the_own_updates_and_then_those_of_guests_in_their_order()
    {
        var batch = Compose(2, 12, Guest(Ann, new HandInGroup(5, 2, null)), Guest(Bea, new HandInGroup(1, 1, null)));

        Assert.Equal((13, 2, 3, Self), (batch.Version, batch.Own, batch.Guests, batch.Writer));
        Assert.Equal((CasTake[])[new(0, 0, 2), new(1, 0, 1)], batch.Taken);
        Assert.Equal((6, 1, 12), (Number(batch, Ann), Number(batch, Bea), Number(batch, Own)));
        Assert.Equal(13, batch.Applied.With(9, 1, 14, 1).ForgottenThrough);
    }

    [Fact]
    public void A_write_without_own_updates_enters_no_number_of_its_own()
    {
        var batch = Compose(0, 12, Guest(Ann, new HandInGroup(5, 1, null)));

        Assert.Equal((9, 0, -1), (batch.Version, batch.Own, Number(batch, Own)));
    }

    [Fact]
    public void What_the_row_holds_already_is_left_out_and_the_rest_taken()
    {
        var batch = Compose(0, 12, Guest(Ann, new HandInGroup(3, 1, null), new(4, 1, null), new(5, 2, null)));

        Assert.Equal(new(0, 2, 2), Assert.Single(batch.Taken));
        Assert.Equal((10, 6), (batch.Version, Number(batch, Ann)));

        var nothing = Compose(0, 12, Guest(Ann, new HandInGroup(4, 1, null)));
        Assert.Equal(new(0, 1, 0), Assert.Single(nothing.Taken));
        Assert.Equal((8, 4), (nothing.Version, Number(nothing, Ann)));
    }

    [Theory]
    [InlineData(9, 3)]
    [InlineData(8, 1)]
    [InlineData(10, 1)]
    public void A_condition_holds_on_the_version_that_the_updates_before_it_make_and_stops_those_behind_it(long expected, int taken)
    {
        var guest = Guest(Bea, new HandInGroup(1, 1, null), new(2, 1, expected), new(3, 1, null));

        Assert.Equal(new(0, 0, taken), Assert.Single(Compose(0, 12, guest).Taken));
    }

    [Fact]
    public void Updates_that_stay_together_are_taken_whole_or_not_at_all()
    {
        var guest = Guest(Bea, new HandInGroup(1, 2, null), new(3, 2, null));

        Assert.Equal(new(0, 0, 4), Assert.Single(Compose(0, 4, guest).Taken));
        Assert.Equal(new(0, 0, 2), Assert.Single(Compose(0, 3, guest).Taken));
        Assert.Equal(new(0, 0, 0), Assert.Single(Compose(0, 1, guest).Taken));
    }

    [Fact]
    public void The_room_beside_own_updates_is_the_guests()
    {
        var (ann, bea) = (Guest(Ann, Groups(5, 9)), Guest(Bea, Groups(1, 9)));

        Assert.Equal((CasTake[])[new(0, 0, 3), new(1, 0, 3)], Compose(4, 10, ann, bea).Taken);
        Assert.Equal((CasTake[])[new(0, 0, 5), new(1, 0, 5)], Compose(0, 10, ann, bea).Taken);
    }

    [Fact]
    public void Of_a_guest_whose_number_may_have_been_displaced_since_it_knew_nothing_is_taken()
    {
        // Bea's number 3 made version 7 and was displaced.
        var state = Loaded with { Applied = AppliedTable.Empty.With(Bea, 3, 7, 1).With(Ann, 4, 8, 1) };

        Assert.Equal(new(0, 0, 0), Assert.Single(Compose(state, 0, 12, Guest(Bea, new HandInGroup(3, 1, null)) with { Since = 6 }).Taken));
        Assert.Equal(new(0, 0, 1), Assert.Single(Compose(state, 0, 12, Guest(Bea, new HandInGroup(4, 1, null)) with { Since = 7 }).Taken));
        Assert.Equal(new(0, 0, 1), Assert.Single(Compose(state, 0, 12, Guest(Ann, new HandInGroup(5, 1, null)) with { Since = 6 }).Taken));
    }

    private static CasBatch Compose(int own, int room, params HandIn[] guests) => Compose(Loaded, own, room, guests);

    private static CasBatch Compose(CasState state, int own, int room, params HandIn[] guests) =>
        HandInRules.Compose(state, Self, own, through: 12, guests, room, maxInstances: 8);

    private static long Number(CasBatch batch, long instance) => batch.Applied.TryGetNumber(instance, out var number) ? number : -1;

    private static HandIn Guest(long instance, params HandInGroup[] groups) => new(instance, 8, [.. groups]);

    private static HandInGroup[] Many(int count) => count == 0 ? [] : [new(1, count, null)];

    private static HandInGroup[] Groups(int first, int count) =>
        [.. Enumerable.Range(first, count).Select(i => new HandInGroup(i, 1, null))];

    private static TimeSpan Ms(int milliseconds) => TimeSpan.FromMilliseconds(milliseconds);
}
