namespace Geo.Directory.Tests;

/// <summary>
/// All that can happen to one call between three clusters: every answer of every directory, every instance that ends, every message that is
/// lost on the way there or back.
/// </summary>
public sealed class CallFollowingExploration
{
    private const int MaxAttempts = 3;

    // How often instances that served others may end under the call; nothing but its own time bounds that.
    private const int MaxLaterEnds = 2;

    private static readonly CallFollowingLimits Limits = new(MaxAttempts);
    private static readonly ClusterId[] Others = [new("asia"), new("eu")];

    private int _ends;
    private int _answered;
    private int _refused;
    private int _unknown;

    [Fact]
    public void A_call_always_ends_runs_at_most_once_and_is_told_the_truth_about_it()
    {
        // One that was made here; and what becomes of it where it arrives is explored each time that it is carried.
        Explore(CallFollowing.Begun, ran: 0, laterEnds: 0, steps: 0, End);
        Assert.True(_answered > 0 && _refused > 0 && _unknown > 0);
        Assert.Equal(_ends, _answered + _refused + _unknown);
        TestContext.Current.TestOutputHelper?.WriteLine($"{_ends} ends: {_answered} answered, {_refused} refused, {_unknown} unknown");
    }

    private void End(CallStep how, int ran)
    {
        _ends++;
        Assert.InRange(ran, 0, 1);
        switch (how)
        {
            case CallStep.Answer:
                Assert.Equal(1, ran);
                _answered++;
                break;
            case CallStep.Refuse or CallStep.RefuseKeepsMoving:
                Assert.Equal(0, ran);
                _refused++;
                break;
            case CallStep.ReportUnknown:
                _unknown++;
                break;
            default:
                Assert.Fail($"A call that was made here ended by {how}.");
                break;
        }
    }

    /// <param name="call">The call, which looks.</param>
    /// <param name="ran">How often it has run.</param>
    /// <param name="laterEnds">How many instances that had served others have ended under it.</param>
    /// <param name="steps">How far it has come.</param>
    /// <param name="end">Told how it ends.</param>
    private static void Explore(CallFollowing call, int ran, int laterEnds, int steps, Action<CallStep, int> end)
    {
        Assert.InRange(steps, 0, (3 * MaxAttempts) + (2 * MaxLaterEnds) + 4);
        Happens(CallEventKind.Expired, ran);
        switch (call.Stage)
        {
            case CallStage.Looking:
                Happens(CallEventKind.FoundHere, ran);
                Happens(CallEventKind.FoundNowhere, ran);
                Happens(CallEventKind.NotFound, ran);
                Elsewhere(when: !call.IsArrived);
                break;

            case CallStage.Here:
                Happens(CallEventKind.Answered, ran + 1);
                Happens(CallEventKind.Unknown, ran);
                Happens(CallEventKind.Unknown, ran + 1);
                Happens(CallEventKind.Expired, ran + 1);
                Happens(CallEventKind.InstanceEnded, ran);
                Elsewhere(when: true);
                if (laterEnds < MaxLaterEnds)
                {
                    Happens(CallEventKind.InstanceEndedLater, ran, 1);
                }

                break;

            default:
                Happens(CallEventKind.Refused, ran);
                Happens(CallEventKind.OutOfReach, ran);
                Happens(CallEventKind.GivenUp, ran);
                Happens(CallEventKind.Unknown, ran);

                // It arrives; its answer is one of those that the other cluster can give, or is lost.
                var seen = new HashSet<(CallStep, int)>();
                Explore(CallFollowing.Arrived, ran, laterEnds, 0, (how, times) => seen.Add((how, times)));
                foreach (var (how, times) in seen)
                {
                    Happens(CallEventKind.Unknown, times);
                    Happens(CallEventKind.Expired, times);
                    Happens(
                        how switch
                        {
                            CallStep.Answer => CallEventKind.Answered,
                            CallStep.ReplyNotHere => CallEventKind.NotThere,
                            CallStep.Refuse or CallStep.RefuseKeepsMoving => CallEventKind.Refused,
                            _ => CallEventKind.Unknown,
                        },
                        times);
                    Assert.True(how != CallStep.ReplyNotHere || times == ran, "not here, but it ran");
                }

                break;
        }

        void Elsewhere(bool when)
        {
            foreach (var cluster in when ? Others : [])
            {
                Happens(CallEvent.FoundElsewhere(cluster), ran);
            }
        }

        void Happens(CallEvent happened, int times, int later = 0)
        {
            var (next, effect) = call.On(happened, Limits);
            if (next.Stage != CallStage.Ended)
            {
                Assert.True(times == 0, $"{effect.Step} after it may have run");
                Explore(next, times, laterEnds + later, steps + 1, end);
            }
            else
            {
                end(effect.Step, times);
            }
        }
    }
}
