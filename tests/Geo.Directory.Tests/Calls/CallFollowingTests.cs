namespace Geo.Directory.Tests;

public sealed class CallFollowingTests
{
    private static readonly ClusterId Asia = new("asia");
    private static readonly ClusterId Eu = new("eu");
    private static readonly CallFollowingLimits Limits = new(MaxAttempts: 3, TimeSpan.FromSeconds(2));

    public static TheoryData<string, string, string> Table
    {
        get
        {
            // Every event in every state. "!" is a host that has lost track of its call.
            string[] events =
                ["FoundHere", "FoundElsewhere", "FoundNowhere", "NotFound", "Answered", "InstanceEnded", "InstanceEndedLater", "NotThere",
                    "GivenUp", "OutOfReach", "Refused", "Unknown", "Expired"];
            (string State, string[] Ends)[] rows =
            [
                ("looking", ["Here RunHere", "Carried Carry eu", "Here RunHere", "Ended Refuse", "!", "!", "!", "!", "!", "!", "!", "!",
                    "Ended Refuse"]),
                ("looking anew", ["Here RunHere", "Carried Carry eu", "Ended Refuse", "Ended Refuse", "!", "!", "!", "!", "!", "!", "!",
                    "!", "Ended Refuse"]),
                ("looking anew for eu", ["Here RunHere", "Ended Refuse", "Ended Refuse", "Ended Refuse", "!", "!", "!", "!", "!", "!",
                    "!", "!", "Ended Refuse"]),
                ("here", ["!", "Carried Carry eu", "!", "!", "Ended Answer", "Looking LookUp", "Looking LookUp", "!", "!", "!", "!",
                    "Ended ReportUnknown", "Ended ReportUnknown"]),
                ("carried", ["!", "!", "!", "!", "Ended Answer", "!", "!", "Looking LookUp forget asia", "Looking LookUp forget asia",
                    "Looking LookUpAnew", "Ended Refuse", "Ended ReportUnknown", "Ended ReportUnknown"]),
                ("ended", [.. events.Select(_ => "Ended None")]),
                ("arrived looking", ["Here RunHere", "!", "Ended ReplyNotHere", "Ended Refuse", "!", "!", "!", "!", "!", "!", "!", "!",
                    "Ended Refuse"]),
                ("arrived here", ["!", "Looking LookUp forget eu", "!", "!", "Ended Answer", "Looking LookUp", "Looking LookUp", "!", "!",
                    "!", "!", "Ended ReportUnknown", "Ended ReportUnknown"]),
                ("arrived here again", ["!", "Ended ReplyNotHere", "!", "!", "Ended Answer", "Looking LookUp", "Looking LookUp", "!", "!",
                    "!", "!", "Ended ReportUnknown", "Ended ReportUnknown"]),
                ("here at the last attempt", ["!", "Carried Carry eu", "!", "!", "Ended Answer", "Ended RefuseKeepsMoving",
                    "Looking LookUp", "!", "!", "!", "!", "Ended ReportUnknown", "Ended ReportUnknown"]),
                ("carried at the last attempt", ["!", "!", "!", "!", "Ended Answer", "!", "!", "Ended RefuseKeepsMoving forget asia",
                    "Ended RefuseKeepsMoving forget asia", "Ended Refuse", "Ended Refuse", "Ended ReportUnknown", "Ended ReportUnknown"]),
            ];
            var data = new TheoryData<string, string, string>();
            foreach (var (state, ends) in rows)
            {
                Assert.Equal(events.Length, ends.Length);
                for (var i = 0; i < events.Length; i++)
                {
                    data.Add(state, events[i], ends[i]);
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Table))]
    public void Every_event_in_every_state_has_its_one_effect(string state, string happened, string end)
    {
        var call = InState(state);
        var kind = Enum.Parse<CallEventKind>(happened);
        CallEvent occurred = kind == CallEventKind.FoundElsewhere ? CallEvent.FoundElsewhere(Eu) : kind;
        if (end == "!")
        {
            Assert.Throws<InvalidOperationException>(() => call.On(occurred, Limits));
            return;
        }

        var (next, effect) = call.On(occurred, Limits);
        var (to, forget) = (effect.To.IsNone ? "" : $" {effect.To}", effect.Forget.IsNone ? "" : $" forget {effect.Forget}");
        Assert.Equal(end, $"{next.Stage} {effect.Step}{to}{forget}");
        Assert.Equal(next.Stage == CallStage.Carried ? Eu : default, next.At);
        Assert.Equal(call.IsArrived, next.IsArrived);
    }

    [Fact]
    public void Each_event_is_in_the_table() =>
        Assert.Equal(Enum.GetNames<CallEventKind>().Length * 11, Table.Count);

    [Fact]
    public void A_call_that_finds_one_cluster_after_another_out_of_reach_is_refused_when_its_attempts_are_used_up()
    {
        var call = CallFollowing.Begun;
        var steps = new List<CallStep>();
        for (var i = 0; i < 3; i++)
        {
            (call, _) = call.On(CallEvent.FoundElsewhere(i % 2 == 0 ? Asia : Eu), Limits);
            (call, var effect) = call.On(CallEventKind.OutOfReach, Limits);
            steps.Add(effect.Step);
        }

        Assert.Equal([CallStep.LookUpAnew, CallStep.LookUpAnew, CallStep.Refuse], steps);
    }

    [Fact]
    public void A_call_waits_longer_with_each_vain_look_but_not_before_the_first()
    {
        var call = CallFollowing.Begun;
        var pauses = new List<double>();
        for (var i = 0; i < 3; i++)
        {
            (call, _) = call.On(CallEventKind.FoundHere, Limits with { MaxAttempts = 9 });
            (call, var effect) = call.On(CallEventKind.InstanceEnded, Limits with { MaxAttempts = 9 });
            pauses.Add(effect.Pause.TotalMilliseconds);
        }

        Assert.Equal([0, 10, 20], pauses);
    }

    [Theory]
    [InlineData(SingleInstanceMode.Optimistic, null, 2, CallEventKind.Refused)]
    [InlineData(SingleInstanceMode.Optimistic, 0, 2, CallEventKind.OutOfReach)]
    [InlineData(SingleInstanceMode.Optimistic, 1, 2, CallEventKind.OutOfReach)]
    [InlineData(SingleInstanceMode.Optimistic, 2, 2, CallEventKind.GivenUp)]
    [InlineData(SingleInstanceMode.Optimistic, null, 0, CallEventKind.Refused)]
    [InlineData(SingleInstanceMode.Optimistic, 0, 0, CallEventKind.GivenUp)]
    [InlineData(SingleInstanceMode.Optimistic, 1, 0, CallEventKind.GivenUp)]
    [InlineData(SingleInstanceMode.Optimistic, 1000, null, CallEventKind.OutOfReach)]
    [InlineData(SingleInstanceMode.Pessimistic, null, 2, CallEventKind.Refused)]
    [InlineData(SingleInstanceMode.Pessimistic, 0, 2, CallEventKind.OutOfReach)]
    [InlineData(SingleInstanceMode.Pessimistic, 1000, 2, CallEventKind.OutOfReach)]
    [InlineData(SingleInstanceMode.Quorum, null, 2, CallEventKind.Refused)]
    [InlineData(SingleInstanceMode.Quorum, 0, 2, CallEventKind.GivenUp)]
    public void Only_an_optimistic_instance_is_given_up_and_only_where_its_cluster_is_out_of_reach_for_long(
        SingleInstanceMode mode, int? outOfReach, int? limit, object happened)
    {
        var limits = new CallFollowingLimits(8, limit is { } seconds ? TimeSpan.FromSeconds(seconds) : null);
        var down = outOfReach is { } since ? TimeSpan.FromSeconds(since) : (TimeSpan?)null;

        Assert.Equal(happened, CallFollowing.OnUndelivered(mode, hasLeft: false, down, limits));
        Assert.Equal(CallEventKind.NotThere, CallFollowing.OnUndelivered(mode, hasLeft: true, down, limits));
    }

    private static CallFollowing InState(string state)
    {
        var begun = state.StartsWith("arrived", StringComparison.Ordinal) ? CallFollowing.Arrived : CallFollowing.Begun;
        return state switch
        {
            "looking" or "arrived looking" => begun,
            "here" or "arrived here" => After(begun, CallEventKind.FoundHere),
            "carried" => After(begun, CallEvent.FoundElsewhere(Asia)),
            "looking anew" => After(begun, CallEvent.FoundElsewhere(Asia), CallEventKind.OutOfReach),
            "looking anew for eu" => After(begun, CallEvent.FoundElsewhere(Eu), CallEventKind.OutOfReach),
            "ended" => After(begun, CallEventKind.Expired),
            "arrived here again" => After(begun, CallEventKind.FoundHere, CallEvent.FoundElsewhere(Asia), CallEventKind.FoundHere),
            "here at the last attempt" => After(
                begun, CallEventKind.FoundHere, CallEventKind.InstanceEnded, CallEventKind.FoundHere, CallEventKind.InstanceEnded,
                CallEventKind.FoundHere),
            "carried at the last attempt" => After(
                begun, CallEventKind.FoundHere, CallEventKind.InstanceEnded, CallEvent.FoundElsewhere(Eu), CallEventKind.NotThere,
                CallEvent.FoundElsewhere(Asia)),
            _ => throw new ArgumentOutOfRangeException(nameof(state), state, null),
        };
    }

    private static CallFollowing After(CallFollowing call, params CallEvent[] events) =>
        events.Aggregate(call, (state, happened) => state.On(happened, Limits).Next);
}
