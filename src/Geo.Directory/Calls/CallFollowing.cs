namespace Geo.Directory;

/// <summary>
/// How a call finds the instance of its grain (GEO section 3.1): the state of one call on its way, and, as pure functions, what each event
/// makes of it. Every host follows its calls by these rules and decides nothing of its own about them.
/// </summary>
/// <remarks>
/// <para>
/// A call runs at most once: it is handed to an instance or sent to a cluster only as long as it has certainly not run. It ends: every way
/// back to looking counts as one of <see cref="CallFollowingLimits.MaxAttempts"/>, save where an instance has served other calls meanwhile,
/// which the call's own time bounds.
/// </para>
/// <para>
/// A call that another cluster has sent ends where it arrives, with the answer or as "not here", so that no call travels in circles. "Not
/// here" is the word of the rows and never of a hint: a hint may be older than the row that another silo has written since, and what is
/// wrong with it would be found out by nobody.
/// </para>
/// <para>
/// Nor is a call refused on the word of a hint. Where the cluster that is remembered is out of reach, the others and the rows are asked
/// once more; if none of them has the grain, it may be in that cluster still.
/// </para>
/// </remarks>
internal readonly record struct CallFollowing
{
    private static readonly TimeSpan PauseStep = TimeSpan.FromMilliseconds(10);

    /// <summary>A call that was made in this cluster; the host begins by looking.</summary>
    public static CallFollowing Begun => default;

    /// <summary>A call that another cluster has sent here; the host begins by looking.</summary>
    public static CallFollowing Arrived { get; } = new() { IsArrived = true };

    /// <summary>Where the call is.</summary>
    public CallStage Stage { get; private init; }

    /// <summary>True when another cluster has sent it here.</summary>
    public bool IsArrived { get; private init; }

    /// <summary>
    /// True when an instance that began for an arrived call has been sent away once, so that the rows were looked at again.
    /// </summary>
    public bool HasLookedAgain { get; private init; }

    /// <summary>How often it has looked in vain.</summary>
    public int Attempts { get; private init; }

    /// <summary>The cluster that it was sent to; none unless it is <see cref="CallStage.Carried"/>.</summary>
    public ClusterId At { get; private init; }

    /// <summary>The cluster out of reach because of which it looks anew; none otherwise.</summary>
    public ClusterId Lost { get; private init; }

    /// <summary>What an event makes of the call, and what is to be done.</summary>
    /// <exception cref="InvalidOperationException">The event cannot happen in this stage: the host has lost track of its call.</exception>
    public (CallFollowing Next, CallEffect Effect) On(CallEvent happened, CallFollowingLimits limits) => (Stage, happened.Kind) switch
    {
        // A late answer, or a second end: the first one stands.
        (CallStage.Ended, _) => (this, default),

        (CallStage.Looking, CallEventKind.Expired) => End(CallStep.Refuse),
        (_, CallEventKind.Expired) => End(CallStep.ReportUnknown),

        // Nobody who answers has it, or who has it is out of reach.
        (CallStage.Looking, CallEventKind.FoundNowhere) when !Lost.IsNone => End(CallStep.Refuse),
        (CallStage.Looking, CallEventKind.FoundElsewhere) when happened.Cluster == Lost => End(CallStep.Refuse),

        (CallStage.Looking, CallEventKind.FoundHere) => RunHere(),
        (CallStage.Looking, CallEventKind.FoundNowhere) => IsArrived ? End(CallStep.ReplyNotHere) : RunHere(),
        (CallStage.Looking, CallEventKind.FoundElsewhere) when !IsArrived => Carry(happened.Cluster),
        (CallStage.Looking, CallEventKind.NotFound) => End(CallStep.Refuse),

        (CallStage.Here, CallEventKind.FoundElsewhere) when !IsArrived => Carry(happened.Cluster),

        // The rows said "here": the silo that said "elsewhere" followed a hint, or the grain has moved in between. The rows know.
        (CallStage.Here, CallEventKind.FoundElsewhere) when !HasLookedAgain =>
            (this with { Stage = CallStage.Looking, HasLookedAgain = true }, new(CallStep.LookUp, Forget: happened.Cluster)),
        (CallStage.Here, CallEventKind.FoundElsewhere) => End(CallStep.ReplyNotHere),
        (CallStage.Here, CallEventKind.InstanceEnded) => LookAgain(limits, forget: default),
        (CallStage.Here, CallEventKind.InstanceEndedLater) => (this with { Stage = CallStage.Looking }, new(CallStep.LookUp)),

        (CallStage.Carried, CallEventKind.NotThere or CallEventKind.GivenUp) =>
            LookAgain(limits, forget: SwitchedOff.Is(ProtocolRule.LookAgain) ? default : At),

        // Where the grain was said to be once it may be no more, and that cluster cannot say so.
        (CallStage.Carried, CallEventKind.OutOfReach) when Attempts + 1 < limits.MaxAttempts && !SwitchedOff.Is(ProtocolRule.LookAnew) =>
            (this with { Stage = CallStage.Looking, Attempts = Attempts + 1, At = default, Lost = At }, new(CallStep.LookUpAnew)),
        (CallStage.Carried, CallEventKind.OutOfReach or CallEventKind.Refused) => End(CallStep.Refuse),

        (CallStage.Here or CallStage.Carried, CallEventKind.Answered) => End(CallStep.Answer),
        (CallStage.Here or CallStage.Carried, CallEventKind.Unknown) when SwitchedOff.Is(ProtocolRule.UnknownIsReported) =>
            LookAgain(limits, forget: default),
        (CallStage.Here or CallStage.Carried, CallEventKind.Unknown) => End(CallStep.ReportUnknown),

        _ => throw new InvalidOperationException(
            $"A call that is {Stage}{(IsArrived ? ", sent by another cluster," : "")} cannot be {happened.Kind}."),
    };

    /// <summary>
    /// What it means that a call could certainly not be delivered: whether the instance of its grain may be replaced although it may still
    /// be there. Only where its cluster has been out of reach for long, and the grain would rather have two instances for a while than
    /// none; or where the majority decides about that, whom it is looked for with anew at once. A cluster that has left has no instance:
    /// what named it is older than its leave.
    /// </summary>
    /// <param name="mode">The grain's mode.</param>
    /// <param name="hasLeft">Whether the cluster is in this silo's configuration no more.</param>
    /// <param name="outOfReach">How long there has been no link to the cluster; null while there is one.</param>
    /// <param name="limits">The limits.</param>
    /// <returns>
    /// <see cref="CallEventKind.NotThere"/>, <see cref="CallEventKind.GivenUp"/>, <see cref="CallEventKind.OutOfReach"/>, or
    /// <see cref="CallEventKind.Refused"/> where there is a link.
    /// </returns>
    public static CallEventKind OnUndelivered(SingleInstanceMode mode, bool hasLeft, TimeSpan? outOfReach, CallFollowingLimits limits) =>
        hasLeft ? CallEventKind.NotThere
        : outOfReach is null ? CallEventKind.Refused
        : mode == SingleInstanceMode.Quorum || (mode == SingleInstanceMode.Optimistic && outOfReach >= limits.UnreachableAfter)
            ? CallEventKind.GivenUp
        : CallEventKind.OutOfReach;

    private (CallFollowing Next, CallEffect Effect) RunHere() =>
        (this with { Stage = CallStage.Here, Lost = default }, new(CallStep.RunHere));

    private (CallFollowing Next, CallEffect Effect) Carry(ClusterId to) =>
        (this with { Stage = CallStage.Carried, At = to, Lost = default }, new(CallStep.Carry, to));

    private (CallFollowing Next, CallEffect Effect) LookAgain(CallFollowingLimits limits, ClusterId forget)
    {
        var next = this with { Stage = CallStage.Looking, Attempts = Attempts + 1, At = default };
        return next.Attempts < limits.MaxAttempts
            ? (next, new(CallStep.LookUp, Forget: forget, Pause: Attempts * PauseStep))
            : (next with { Stage = CallStage.Ended }, new(CallStep.RefuseKeepsMoving, Forget: forget));
    }

    private (CallFollowing Next, CallEffect Effect) End(CallStep step) =>
        (this with { Stage = CallStage.Ended, At = default, Lost = default }, new(step));
}
